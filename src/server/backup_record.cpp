#include "server/backup_record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fstream>

#include "server/data_directory.hpp"

namespace muhur::server {
namespace json = boost::json;
namespace {

constexpr std::size_t kLargest = 16 << 20;

std::filesystem::path file_of(const std::filesystem::path& data) { return data / "backup.json"; }

template <class T>
T number(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_int64() && value->get_int64() >= 0 ? static_cast<T>(value->get_int64()) : T{};
}

}  // namespace

Result<std::vector<BackupRecord>> read_backup_records(const std::filesystem::path& data) {
  const auto path = file_of(data);
  std::error_code absent;
  const auto size = std::filesystem::file_size(path, absent);
  if (absent == std::errc::no_such_file_or_directory) return std::vector<BackupRecord>();
  if (absent) return fail_errno(absent.value(), fmt::format("read {}", path.string()));
  const auto wrong = [&] {
    return fail(Code::corrupt, fmt::format("{} is no record of backups", path.string()),
                "Remove it and make a backup");
  };
  if (size > kLargest) return wrong();
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  if (error || !value.is_object()) return wrong();
  const auto* list = value.get_object().if_contains("backups");
  if (!list || !list->is_array()) return wrong();
  std::vector<BackupRecord> records;
  for (const auto& item : list->get_array()) {
    if (!item.is_object()) return wrong();
    const auto& object = item.get_object();
    const auto* name = object.if_contains("database");
    const auto* verified = object.if_contains("verified");
    if (!name || !name->is_string()) return wrong();
    records.push_back({.database = std::string(name->get_string()),
                       .at_ms = number<std::int64_t>(object, "at_ms"),
                       .pages = number<std::uint64_t>(object, "pages"),
                       .bytes = number<std::uint64_t>(object, "bytes"),
                       .verified = verified && verified->is_bool() && verified->get_bool()});
  }
  return records;
}

Result<void> note_backup(const std::filesystem::path& data, const BackupRecord& record) {
  auto known = read_backup_records(data);
  if (!known && known.error().code != Code::corrupt) return std::unexpected(known.error());
  std::vector<BackupRecord> records = known ? std::move(*known) : std::vector<BackupRecord>();
  std::erase_if(records, [&](const auto& one) { return one.database == record.database; });
  records.push_back(record);
  json::array list;
  for (const auto& one : records)
    list.push_back({{"database", one.database},
                    {"at_ms", one.at_ms},
                    {"pages", one.pages},
                    {"bytes", one.bytes},
                    {"verified", one.verified}});
  const auto path = file_of(data);
  const std::filesystem::path fresh = fmt::format("{}.{}.new", path.string(), ::getpid());
  MUHUR_CHECK(
      write_new_file(fresh, json::serialize(json::object{{"backups", std::move(list)}}) + '\n', 0600));
  std::error_code error;
  std::filesystem::rename(fresh, path, error);
  if (!error) return {};
  std::error_code ignored;
  std::filesystem::remove(fresh, ignored);
  return fail_errno(error.value(), fmt::format("write {}", path.string()));
}

}  // namespace muhur::server
