#include "bench/login_connection.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/unicode.hpp"
#include "net/connect.hpp"

namespace muhur::bench {
namespace {

constexpr std::size_t kLargest = 1 << 20;
constexpr std::size_t kPiece = 16 * 1024;
constexpr std::chrono::seconds kPatience{60};
constexpr std::string_view kLineEnd = "\r\n";

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

template <class T>
std::optional<T> number(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::unexpected<Error> not_http() { return fail(Code::invalid, "the answer is no HTTP/1.1"); }

struct Framing {
  std::optional<std::size_t> length;
  bool chunked = false;
};

Result<void> read_field(std::string_view line, HttpAnswer& answer, Framing& framing) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return not_http();
  const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
  if (equals_ignoring_case(name, "content-length")) {
    framing.length = number<std::size_t>(value);
    if (!framing.length || *framing.length > kLargest) return not_http();
  } else if (equals_ignoring_case(name, "transfer-encoding")) {
    framing.chunked = equals_ignoring_case(value, "chunked");
    if (!framing.chunked) return not_http();
  } else if (equals_ignoring_case(name, "set-cookie")) {
    answer.cookies.push_back(value);
  } else if (equals_ignoring_case(name, "location")) {
    answer.location = value;
  } else if (equals_ignoring_case(name, "retry-after")) {
    answer.retry_after_s = number<unsigned>(value);
  } else if (equals_ignoring_case(name, "connection")) {
    answer.keep_alive = !equals_ignoring_case(value, "close");
  }
  return {};
}

// Whether all chunks are there; their bytes go to `joined`.
Result<bool> join_chunks(std::string_view bytes, std::string& joined) {
  joined.clear();
  while (true) {
    const std::size_t line = bytes.find(kLineEnd);
    if (line == std::string_view::npos) return false;
    const auto size = number<std::size_t>(trimmed(bytes.substr(0, std::min(line, bytes.find(';')))), 16);
    if (!size || *size > kLargest) return not_http();
    bytes.remove_prefix(line + kLineEnd.size());
    if (*size == 0) return bytes.find(kLineEnd) != std::string_view::npos;  // no server here sends trailers
    if (bytes.size() < *size + kLineEnd.size()) return false;
    joined.append(bytes.substr(0, *size));
    bytes.remove_prefix(*size + kLineEnd.size());
  }
}

}  // namespace

void CookieJar::take(std::string_view set_cookie) {
  const std::string_view pair = set_cookie.substr(0, set_cookie.find(';'));
  const std::size_t equal = pair.find('=');
  if (equal == std::string_view::npos) return;
  const std::string_view name = trimmed(pair.substr(0, equal)), value = trimmed(pair.substr(equal + 1));
  std::erase_if(cookies_, [&](const auto& cookie) { return cookie.first == name; });
  const std::string attributes = to_lower_ascii(set_cookie.substr(pair.size()));
  const bool over = value.empty() || attributes.find("max-age=0") != std::string::npos ||
                    attributes.find("01 jan 1970") != std::string::npos;
  if (!over) cookies_.emplace_back(name, value);
}

void CookieJar::append_header(std::string& request) const {
  std::string_view before = "Cookie: ";
  for (const auto& [name, value] : cookies_) {
    request.append(before).append(name).append("=").append(value);
    before = "; ";
  }
  if (!cookies_.empty()) request += kLineEnd;
}

Result<std::optional<HttpAnswer>> read_answer(std::string_view bytes, bool ended, std::string& joined) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    if (ended || bytes.size() > kLargest) return not_http();
    return std::nullopt;
  }
  HttpAnswer answer;
  Framing framing;
  std::string_view head = bytes.substr(0, end);
  const std::string_view line = head.substr(0, head.find(kLineEnd));
  if (!line.starts_with("HTTP/1.1 ") || line.size() < 12) return not_http();
  const auto status = number<int>(line.substr(9, 3));
  if (!status || *status < 200) return not_http();  // nothing here asks for a 1xx
  answer.status = *status;
  head.remove_prefix(std::min(line.size() + kLineEnd.size(), head.size()));
  while (!head.empty()) {
    const std::string_view field = head.substr(0, head.find(kLineEnd));
    MUHUR_CHECK(read_field(field, answer, framing));
    head.remove_prefix(std::min(field.size() + kLineEnd.size(), head.size()));
  }
  const std::string_view rest = bytes.substr(end + 4);
  if (*status == 204 || *status == 304) return answer;
  if (framing.chunked) {
    MUHUR_TRY(const bool whole, join_chunks(rest, joined));
    if (!whole && (ended || rest.size() > kLargest)) return not_http();
    if (!whole) return std::nullopt;
    answer.body = joined;
    return answer;
  }
  if (!framing.length) answer.keep_alive = false;
  if (!framing.length && !ended) return std::nullopt;
  if (rest.size() < framing.length.value_or(0)) {
    if (ended) return not_http();
    return std::nullopt;
  }
  answer.body = rest.substr(0, framing.length.value_or(rest.size()));
  return answer;
}

std::string LoginConnection::authority() const {
  return fmt::format("{}:{}", host_.contains(':') ? "[" + host_ + "]" : host_, port_);
}

net::Task<LoginConnection::Heard> LoginConnection::once(std::string_view request) {
  const auto sent = co_await stream_->write(as_bytes(request));
  if (!sent) co_return Heard{std::unexpected(sent.error()), sent.error().code != Code::timed_out};
  std::size_t have = 0;
  bool ended = false;
  while (true) {
    if (buffer_.size() < have + kPiece) buffer_.resize(have + kPiece);
    const auto got =
        co_await stream_->read_some({reinterpret_cast<Byte*>(buffer_.data()) + have, buffer_.size() - have});
    if (!got && have == 0) co_return Heard{std::unexpected(got.error()), got.error().code != Code::timed_out};
    ended = !got;
    if (got) have += *got;
    auto answer = read_answer(std::string_view(buffer_).substr(0, have), ended, joined_);
    if (!answer) co_return Heard{std::unexpected(answer.error())};
    if (*answer) co_return Heard{std::move(**answer)};
    if (have > kLargest + kPiece) co_return Heard{fail(Code::limit, "the answer is too large")};
  }
}

net::Task<Result<HttpAnswer>> LoginConnection::exchange(std::string_view request) {
  bool kept = stream_ != nullptr;
  while (true) {
    if (!stream_) {
      MUHUR_CO_TRY(stream_, co_await net::connect({.host = host_, .port = port_}));
      ++opened_;
    }
    stream_->expires_after(kPatience);
    auto heard = co_await once(request);
    if (!heard.answer || !heard.answer->keep_alive) stream_.reset();
    if (heard.answer || !heard.untouched || !kept) co_return std::move(heard.answer);
    kept = false;
  }
}

}  // namespace muhur::bench
