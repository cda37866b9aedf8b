#include "http/parser.hpp"

#include <boost/beast/http/basic_parser.hpp>
#include <optional>

#include "base/unicode.hpp"
#include "http/target.hpp"

namespace muhur::http {
namespace {

namespace beast = boost::beast;
using boost::beast::error_code;
using BeastError = boost::beast::http::error;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

// Whether a line begins with white space: the field before it goes on there (obs-fold, RFC 9112 §5.2). Beast
// unfolds such fields; it takes each with all of its lines in one step.
bool has_fold(std::string_view lines) {
  for (auto end = lines.find('\n'); end != std::string_view::npos && end + 1 < lines.size();
       end = lines.find('\n', end + 1))
    if (lines[end + 1] == ' ' || lines[end + 1] == '\t') return true;
  return false;
}

// The two sides' common part: hands Beast's events to a Headers and a body.
template <bool is_request>
class Events : public beast::http::basic_parser<is_request> {
 public:
  Events(Headers& headers, std::string& body, std::size_t max_header) : headers_(headers), body_(body) {
    this->body_limit(boost::none);
    this->header_limit(static_cast<std::uint32_t>(max_header));
  }

  // Feeds Beast as long as it makes use of what is there.
  std::size_t feed(std::string_view bytes, error_code& error) {
    std::size_t used = 0;
    while (!this->is_done() && used < bytes.size()) {
      const bool in_header = !this->is_header_done();
      input_ = bytes.substr(used);
      // Beast asserts that a last chunk which it began to read has five bytes ("0", two line ends); more than
      // that always follows in a body that has not ended.
      if (!in_header && this->chunked() && input_.size() < 5) {
        error = BeastError::need_more;
        break;
      }
      const auto step = this->put({input_.data(), input_.size()}, error);
      used += step;
      if (in_header) folded_ = folded_ || has_fold(input_.substr(0, step));
      if (error || (in_header && this->is_header_done())) break;
    }
    return used;
  }
  bool folded() const { return folded_; }

 protected:
  void on_field_impl(beast::http::field, beast::string_view name, beast::string_view value,
                     error_code&) override {
    if (!header_over_) headers_.add(std::string(view(name)), std::string(view(value)));
  }
  void on_header_impl(error_code&) override { header_over_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(beast::string_view piece, error_code&) override {
    body_.append(piece.data(), piece.size());
    return piece.size();
  }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view piece, error_code&) override {
    body_.append(piece.data(), piece.size());
    return piece.size();
  }
  void on_finish_impl(error_code&) override {}

 private:
  Headers& headers_;
  std::string& body_;
  std::string_view input_;
  bool header_over_ = false, folded_ = false;
};

class RequestEvents final : public Events<true> {
 public:
  RequestEvents(Request& request, std::size_t max_header)
      : Events<true>(request.headers, request.body, max_header), request_(request) {}
  int version = 11;

 private:
  void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target, int v,
                       error_code&) override {
    request_.method = view(method);
    request_.target = view(target);
    version = v;
  }
  void on_response_impl(int, beast::string_view, int, error_code&) override {}
  Request& request_;
};

class ResponseEvents final : public Events<false> {
 public:
  ResponseEvents(Response& response, std::size_t max_header)
      : Events<false>(response.headers, response.body, max_header), response_(response) {}

 private:
  void on_request_impl(beast::http::verb, beast::string_view, beast::string_view, int, error_code&) override {
  }
  void on_response_impl(int status, beast::string_view, int, error_code&) override {
    response_.status = status;
  }
  Response& response_;
};

// 0 when the header says one thing only.
int refusal_of(Request& request, int version) {
  const Headers& headers = request.headers;
  const auto codings = headers.all("Transfer-Encoding");
  const auto lengths = headers.all("Content-Length");
  if (!codings.empty()) {
    if (!lengths.empty() || codings.size() > 1 || version < 11) return 400;
    if (!equals_ignoring_case(codings.front(), "chunked")) return 501;
  }
  if (lengths.size() > 1) return 400;
  if (!lengths.empty() &&
      (lengths.front().empty() || lengths.front().find_first_not_of("0123456789") != std::string_view::npos))
    return 400;
  auto target = parse_target(request.target);
  if (!target || (target->path == "*" && request.method != "OPTIONS")) return 400;
  const auto hosts = headers.all("Host");
  if (hosts.size() > 1 || (hosts.empty() && version >= 11)) return 400;
  if (!hosts.empty() && canonical_authority(hosts.front()).empty()) return 400;
  if (!target->authority.empty()) request.headers.set("Host", target->authority);
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  return 0;
}

int status_of(const error_code& error, bool header_done) {
  if (error == BeastError::body_limit) return 413;
  if (error == BeastError::header_limit) return header_done ? 413 : 431;
  return error == BeastError::bad_version ? 505 : 400;
}

}  // namespace

struct RequestParser::Impl {
  ParserLimits limits;
  Request request;
  std::optional<RequestEvents> events;
  int refused = 0;
  bool body_allowed = false;
  std::size_t body_limit = 0;

  void begin() {
    request = {};
    refused = 0;
    body_allowed = false;
    events.emplace(request, limits.max_header);
  }

  int too_long(std::string_view bytes) const {
    const bool in_target = request.method.empty() && bytes.find('\n') > limits.max_target;
    return in_target ? 414 : 431;
  }

  std::size_t feed(std::string_view bytes) {
    if (refused != 0 || events->is_done()) return 0;
    error_code error;
    if (!events->is_header_done()) {
      const std::size_t used = events->feed(bytes, error);
      if (error == BeastError::header_limit ||
          (error == BeastError::need_more && bytes.size() - used >= limits.max_header))
        return refuse(too_long(bytes), used);
      if (error && error != BeastError::need_more) return refuse(status_of(error, false), used);
      if (!events->is_header_done()) return used;
      if (request.target.size() > limits.max_target) return refuse(414, used);
      if (events->folded()) return refuse(400, used);
      refused = refusal_of(request, events->version);
      const auto expected = request.headers.get("Expect");
      if (refused == 0 && expected && !equals_ignoring_case(*expected, "100-continue")) refused = 417;
      return used;
    }
    if (!body_allowed) return 0;
    const std::size_t used = events->feed(bytes, error);
    if (error && error != BeastError::need_more) return refuse(status_of(error, true), used);
    if (request.body.size() > body_limit) return refuse(413, used);
    // The frame of a chunk (its size line, the trailers) has to end some time.
    if (error == BeastError::need_more && bytes.size() - used > limits.max_header) return refuse(400, used);
    return used;
  }

  std::size_t refuse(int status, std::size_t used) {
    refused = status;
    return used;
  }
};

RequestParser::RequestParser(ParserLimits limits) : impl_(std::make_unique<Impl>()) {
  impl_->limits = limits;
  impl_->begin();
}
RequestParser::~RequestParser() = default;

std::size_t RequestParser::feed(std::string_view bytes) { return impl_->feed(bytes); }
bool RequestParser::header_done() const { return impl_->events->is_header_done() && impl_->refused == 0; }
bool RequestParser::done() const { return impl_->events->is_done() && impl_->refused == 0; }
int RequestParser::refused() const { return impl_->refused; }

void RequestParser::allow_body(std::size_t limit) {
  if (!header_done() || done() || impl_->body_allowed) return;
  impl_->body_allowed = true;
  impl_->body_limit = limit;
  impl_->events->body_limit(limit);
  if (const auto length = impl_->events->content_length(); length && *length > limit) impl_->refused = 413;
}

bool RequestParser::has_body() const { return header_done() && !done(); }
bool RequestParser::expects_continue() const {
  return has_body() && impl_->events->version >= 11 && impl_->request.headers.get("Expect").has_value();
}
bool RequestParser::keep_alive() const { return header_done() && impl_->events->keep_alive(); }
bool RequestParser::http_1_0() const { return impl_->events->version < 11; }
Request& RequestParser::request() { return impl_->request; }
void RequestParser::reset() { impl_->begin(); }

struct ResponseParser::Impl {
  std::size_t max_body;
  Response response;
  std::optional<ResponseEvents> events;
  bool to_head;
  bool failed = false, over_limit = false, started = false;
  int interim = 0;

  static constexpr std::size_t kMaxHeader = 32 * 1024;
  static constexpr int kMostInterim = 8;

  void begin() {
    response = {};
    events.emplace(response, kMaxHeader);
    events->skip(to_head);
  }
  void fail(bool limit = false) {
    failed = true;
    over_limit = limit;
  }

  std::size_t feed(std::string_view bytes) {
    std::size_t used = 0;
    while (!failed && !events->is_done() && used < bytes.size()) {
      started = true;
      error_code error;
      const bool in_header = !events->is_header_done();
      used += events->feed(bytes.substr(used), error);
      const bool waits = error == BeastError::need_more;
      if (error && !waits) fail(error == BeastError::body_limit || error == BeastError::header_limit);
      if (waits && bytes.size() - used > kMaxHeader) fail(true);
      if (response.body.size() > max_body) fail(true);
      if (!failed && in_header && events->is_header_done()) header_over();
      if (waits) break;
    }
    return used;
  }

  void header_over() {
    // Interim answers (100, 103) come before the one that counts.
    if (response.status / 100 == 1) {
      if (response.status == 101 || ++interim > kMostInterim) return fail();
      return begin();
    }
    const auto codings = response.headers.all("Transfer-Encoding");
    const bool chunked = codings.size() == 1 && equals_ignoring_case(codings.front(), "chunked");
    if (!codings.empty() && (!chunked || !response.headers.all("Content-Length").empty())) return fail();
    if (const auto length = events->is_done() ? boost::none : events->content_length();
        length && *length > max_body)
      return fail(true);
    if (!events->is_done()) events->body_limit(max_body);
  }
};

ResponseParser::ResponseParser(std::size_t max_body, bool to_head) : impl_(std::make_unique<Impl>()) {
  impl_->max_body = max_body;
  impl_->to_head = to_head;
  impl_->begin();
}
ResponseParser::ResponseParser(ResponseParser&&) noexcept = default;
ResponseParser::~ResponseParser() = default;

std::size_t ResponseParser::feed(std::string_view bytes) { return impl_->feed(bytes); }
void ResponseParser::feed_end() {
  if (impl_->failed || done()) return;
  if (!impl_->events->got_some()) return impl_->fail();
  error_code error;
  impl_->events->put_eof(error);
  if (error) impl_->fail();
}
bool ResponseParser::done() const { return !impl_->failed && impl_->events->is_done(); }
bool ResponseParser::failed() const { return impl_->failed; }
bool ResponseParser::over_limit() const { return impl_->over_limit; }
bool ResponseParser::keep_alive() const { return done() && impl_->events->keep_alive(); }
Response& ResponseParser::response() { return impl_->response; }

}  // namespace muhur::http
