// HTTP messages from strangers: a request is read the same however it is cut, and what reaches a handler has
// one meaning; forms, cookies and URLs do not crash and read again as they were written.
#include "http/parser.hpp"

#include "base/bytes.hpp"
#include "base/unicode.hpp"
#include "check.hpp"
#include "http/client.hpp"
#include "http/form.hpp"

namespace {

using namespace muhur::http;

constexpr std::size_t kMaxBody = 600;

struct Read {
  int refused;
  bool done, keep_alive;
  std::string method, path, query, body;
  std::vector<std::pair<std::string, std::string>> fields;
  bool operator==(const Read&) const = default;
};

Read read(std::string_view wire, std::size_t step) {
  RequestParser parser({.max_header = 1024, .max_target = 200});
  std::string waiting;
  while (!wire.empty() && parser.refused() == 0 && !parser.done()) {
    const auto size = std::min(step, wire.size());
    waiting += wire.substr(0, size);
    wire.remove_prefix(size);
    waiting.erase(0, parser.feed(waiting));
    if (parser.header_done() && !parser.done()) {
      parser.allow_body(kMaxBody);
      if (parser.refused() == 0) waiting.erase(0, parser.feed(waiting));
    }
  }
  // What is thrown away with a refusal need not be the same.
  if (!parser.done()) return {.refused = parser.refused() != 0, .done = false};
  const Request& request = parser.request();
  return {0,
          true,
          parser.keep_alive(),
          request.method,
          request.path,
          request.query,
          request.body,
          request.headers.fields()};
}

void check(const Read& read) {
  FUZZ_CHECK(read.body.size() <= kMaxBody);
  FUZZ_CHECK(read.path == "*" || read.path.starts_with('/'));
  FUZZ_CHECK(muhur::is_utf8(read.path));
  for (const char* bad : {"/../", "/./", "\\", "\r", "\n"}) FUZZ_CHECK(!(read.path + "/").contains(bad));
  for (const auto& [name, value] : read.fields) {
    FUZZ_CHECK(!name.empty());
    for (const std::string& text : {name, value}) FUZZ_CHECK(text.find_first_of("\r\n") == std::string::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = muhur::as_text({data, size});
  const Read whole = read(input, input.size() + 1);
  for (const std::size_t step : {1u, 7u}) {
    const Read again = read(input, step);
    FUZZ_CHECK(again.done == whole.done);
    if (whole.done) FUZZ_CHECK(again == whole);
  }
  if (whole.done) check(whole);

  for (const std::size_t step : {1u, 64u}) {
    ResponseParser response(kMaxBody);
    for (std::size_t at = 0, end = 0; end < size && !response.done() && !response.failed();) {
      end = std::min(size, end + step);
      at += response.feed(input.substr(at, end - at));
    }
    response.feed_end();
    if (response.done()) FUZZ_CHECK(response.response().body.size() <= kMaxBody);
  }

  if (const auto form = Form::parse(input))
    FUZZ_CHECK(Form::parse(form->encoded()).value().fields() == form->fields());
  if (const auto value = cookie(input, "a"))
    FUZZ_CHECK(set_cookie("a", *value, {}).find_first_of("\r\n") == std::string::npos);
  if (const auto url = Url::parse(input)) FUZZ_CHECK(!url->host.empty() && url->target.starts_with('/'));
  return 0;
}
