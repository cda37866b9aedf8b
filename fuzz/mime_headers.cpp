// Any octets as values of structured header fields: bounded results, dates that are read back as written.
#include "mime/header.hpp"

#include "base/unicode.hpp"
#include "check.hpp"

using namespace muhur;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  std::size_t walked = 0;
  for (const auto& field : mime::fields(text)) {
    FUZZ_CHECK(!field.name.empty());
    FUZZ_CHECK(field.whole.starts_with(field.name));
    walked += field.whole.size();
  }
  FUZZ_CHECK(walked <= size);
  FUZZ_CHECK(!mime::unfold(text).contains('\n'));

  FUZZ_CHECK(mime::parse_addresses(text, 20).size() <= 20);
  std::size_t open_groups = 0;
  for (const auto& address : mime::parse_addresses(text)) {
    if (address.host) continue;
    if (address.mailbox)
      ++open_groups;
    else
      FUZZ_CHECK(open_groups-- > 0);
  }
  FUZZ_CHECK(open_groups == 0);

  if (const auto content = mime::parse_content_type(text, 10)) {
    FUZZ_CHECK(!content->type.empty() && !content->subtype.empty());
    FUZZ_CHECK(content->parameters.size() <= 10);
    for (const auto& [name, value] : content->parameters)
      if (const auto read = mime::parameter_text(content->parameters, name)) FUZZ_CHECK(is_utf8(*read));
  }
  if (const auto disposition = mime::parse_disposition(text, 10))
    FUZZ_CHECK(disposition->parameters.size() <= 10);
  for (const auto& language : mime::parse_languages(text)) FUZZ_CHECK(!language.empty());
  mime::salvage_content_type(text);
  mime::parse_encoding(text);

  if (const auto date = mime::parse_date(text))
    FUZZ_CHECK(mime::parse_date(mime::format_date(date->seconds, date->zone_minutes)) == date);
  return 0;
}
