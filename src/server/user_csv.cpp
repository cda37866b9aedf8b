// RFC 4180, one record a line: no field has a line end in it.
#include "server/user_fields.hpp"

namespace muhur::server {
namespace {

constexpr std::size_t kMostFields = 64;

std::unexpected<Error> bad_quotes() {
  return fail(Code::invalid, "the quotes of the line do not match",
              R"(A field with a comma stands in quotes, and a quote within it twice: "Ay, ""A""")");
}

// Takes a field in quotes, the first of which was taken.
Result<std::string> take_quoted(std::string_view& rest) {
  std::string field;
  while (true) {
    const auto quote = rest.find('"');
    if (quote == rest.npos) return bad_quotes();
    field += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) break;
    field += '"';
    rest.remove_prefix(1);
  }
  if (!rest.empty() && !rest.starts_with(',')) return bad_quotes();
  return field;
}

}  // namespace

Result<std::vector<std::string>> split_csv(std::string_view line) {
  std::vector<std::string> fields;
  while (true) {
    if (fields.size() >= kMostFields) return fail(Code::limit, "the line has more than 64 fields");
    if (line.starts_with('"')) {
      line.remove_prefix(1);
      MUHUR_TRY(fields.emplace_back(), take_quoted(line));
    } else {
      const auto field = line.substr(0, line.find(','));
      if (field.contains('"')) return bad_quotes();
      fields.emplace_back(field);
      line.remove_prefix(field.size());
    }
    if (line.empty()) return fields;
    line.remove_prefix(1);  // the comma
  }
}

}  // namespace muhur::server
