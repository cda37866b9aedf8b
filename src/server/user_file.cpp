#include "server/user_file.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "base/unicode.hpp"
#include "passwords/foreign_record.hpp"
#include "server/config_keys.hpp"
#include "server/user_fields.hpp"

namespace muhur::server {
namespace {

constexpr std::size_t kLongestName = 200;
constexpr std::string_view kBom = "\xEF\xBB\xBF";

// Columns by their place, as setters of UserFields.
using Set = Result<void> (*)(UserFields&, std::string);

template <auto member>
Result<void> set_text(UserFields& fields, std::string text) {
  fields.*member = std::move(text);
  return {};
}
template <auto member>
Result<void> set_flag(UserFields& fields, std::string text) {
  MUHUR_TRY(fields.*member, read_flag(text, fields.*member));
  return {};
}

Set column(std::string_view name) {
  static constexpr std::pair<std::string_view, Set> kColumns[] = {
      {"address", set_text<&UserFields::address>}, {"name", set_text<&UserFields::name>},
      {"hash", set_text<&UserFields::hash>},       {"quota", set_text<&UserFields::quota>},
      {"admin", set_flag<&UserFields::admin>},     {"disabled", set_flag<&UserFields::disabled>},
      {"mailbox", set_flag<&UserFields::mailbox>}};
  for (const auto& [known, set] : kColumns)
    if (equals_ignoring_case(known, name)) return set;
  return nullptr;
}

Result<std::vector<Set>> read_head(std::string_view line) {
  MUHUR_TRY(const auto names, split_csv(line));
  std::vector<Set> columns;
  for (const auto& name : names) {
    const Set set = column(name);
    if (!set)
      return fail(Code::invalid, fmt::format("the file's first line has no column named {:.40}", name),
                  fmt::format("It names the columns, which are {}", kUserFieldNames));
    if (std::ranges::find(columns, set) != columns.end())
      return fail(Code::invalid, fmt::format("the column {} is there twice", name));
    columns.push_back(set);
  }
  for (const std::string_view needed : {"address", "hash"})
    if (std::ranges::find(columns, column(needed)) == columns.end())
      return fail(Code::invalid, fmt::format("the file has no column {}", needed),
                  fmt::format("Its first line names the columns: {}", kUserFieldNames));
  return columns;
}

Result<UserFields> user_from_csv(std::string_view line, const std::vector<Set>& columns) {
  MUHUR_TRY(auto fields, split_csv(line));
  if (fields.size() != columns.size())
    return fail(Code::invalid,
                fmt::format("the line has {} fields and the first line {}", fields.size(), columns.size()));
  UserFields user;
  for (std::size_t i = 0; i < columns.size(); ++i) MUHUR_CHECK(columns[i](user, std::move(fields[i])));
  return user;
}

Result<UserFields> user_from_object(std::string_view line) {
  auto user = user_from_json(line);
  if (user || user.error().code != Code::not_found) return user;
  return user_from_keycloak(line);
}

std::string_view trimmed(std::string_view line) {
  while (line.ends_with('\r') || line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
  while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
  return line;
}

}  // namespace

Result<bool> read_flag(std::string_view text, bool otherwise) {
  if (text.empty()) return otherwise;
  for (const char* yes : {"true", "yes", "1"})
    if (equals_ignoring_case(text, yes)) return true;
  for (const char* no : {"false", "no", "0"})
    if (equals_ignoring_case(text, no)) return false;
  return fail(Code::invalid, "true or false is expected for admin, disabled and mailbox");
}

Result<accounts::Credentials::Imported> check_fields(UserFields fields) {
  MUHUR_CHECK(accounts::split_address(fields.address));
  accounts::Credentials::Imported user{.address = std::move(fields.address),
                                       .display_name = std::move(fields.name),
                                       .with_mailbox = fields.mailbox,
                                       .admin = fields.admin,
                                       .disabled = fields.disabled};
  const auto& name = user.display_name;
  if (name.size() > kLongestName || !is_utf8(name) ||
      std::ranges::any_of(name, [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; }))
    return fail(Code::invalid, "the name is longer than 200 bytes, or no text");
  MUHUR_TRY(user.record, passwords::own_form_of(fields.hash));
  if (!fields.quota.empty() && fields.quota != "none") {
    MUHUR_TRY(const auto bytes, parse_size(fields.quota));
    user.quota_bytes = static_cast<std::int64_t>(bytes);
  }
  return user;
}

Result<UserFile> read_user_file(std::string_view text) {
  if (text.size() > kLargestUserFile)
    return fail(Code::limit, "the file is larger than 256 MiB", "Import it in parts");
  if (text.starts_with(kBom)) text.remove_prefix(kBom.size());
  UserFile file;
  std::unordered_map<std::string, std::size_t> lines;  // of addresses
  std::optional<std::vector<Set>> columns;
  bool objects = false;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty()) continue;
    if (!columns && !objects) {
      if (line.starts_with('['))
        return fail(Code::invalid, "the file is a JSON array", "Make it one object a line: jq -c '.[]'");
      objects = line.starts_with('{');
      if (!objects) {
        MUHUR_TRY(columns, read_head(line.substr(0, kLongestUserLine)));
        continue;
      }
    }
    if (file.users.size() + file.bad.size() >= kMostUsers)
      return fail(Code::limit, "the file has more than a million users", "Import it in parts");
    auto user = [&]() -> Result<accounts::Credentials::Imported> {
      if (line.size() > kLongestUserLine) return fail(Code::limit, "the line is longer than 64 KiB");
      MUHUR_TRY(auto fields, columns ? user_from_csv(line, *columns) : user_from_object(line));
      return check_fields(std::move(fields));
    }();
    if (user) {
      const auto [known, first] = lines.emplace(accounts::canonical_address(user->address).value(), number);
      if (!first)
        user = fail(Code::exists, fmt::format("the address is that of line {}", known->second),
                    "Keep one of the two");
    }
    if (user)
      file.users.push_back({number, std::move(*user)});
    else
      file.bad.push_back({number, std::move(user).error()});
  }
  if (file.users.empty() && file.bad.empty()) return fail(Code::invalid, "the file has no users");
  return file;
}

}  // namespace muhur::server
