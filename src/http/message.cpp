#include "http/message.hpp"

#include "base/log.hpp"
#include "base/unicode.hpp"

namespace muhur::http {
namespace {

// Field names and values go out as they stand: what could end a line is taken out.
std::string one_line(std::string text) {
  std::erase_if(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
  return text;
}

}  // namespace

std::optional<std::string_view> Headers::get(std::string_view name) const {
  for (const auto& [field, value] : fields_)
    if (equals_ignoring_case(field, name)) return value;
  return std::nullopt;
}

std::vector<std::string_view> Headers::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [field, value] : fields_)
    if (equals_ignoring_case(field, name)) values.push_back(value);
  return values;
}

void Headers::add(std::string name, std::string value) {
  fields_.emplace_back(one_line(std::move(name)), one_line(std::move(value)));
}

void Headers::set(std::string name, std::string value) {
  remove(name);
  add(std::move(name), std::move(value));
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [&](const auto& field) { return equals_ignoring_case(field.first, name); });
}

namespace {

Response of_type(int status, std::string_view type, std::string body) {
  Response response;
  response.status = status;
  response.headers.add("Content-Type", std::string(type));
  response.body = std::move(body);
  return response;
}

}  // namespace

Response Response::text(int status, std::string body) {
  return of_type(status, "text/plain; charset=utf-8", std::move(body));
}

Response Response::html(int status, std::string body) {
  return of_type(status, "text/html; charset=utf-8", std::move(body));
}

Response Response::json(int status, std::string body) {
  Response response = of_type(status, "application/json", std::move(body));
  response.headers.add("Cache-Control", "no-store");
  return response;
}

Response Response::redirect(std::string location, int status) {
  Response response;
  response.status = status;
  response.headers.add("Location", std::move(location));
  response.headers.add("Cache-Control", "no-store");
  return response;
}

Response Response::from_error(const Error& error) {
  switch (error.code) {
    case Code::busy:
    case Code::timed_out:
    case Code::no_space:
    case Code::closed:
      log::warn("http", "answered 503", {{"error", error.text()}});
      return text(503, "The server is busy. Please try again in a moment.\n").with("Retry-After", "1");
    case Code::invalid:
    case Code::unsupported:
      return text(400, error.text() + "\n");
    case Code::denied:
      return text(403, "Not allowed.\n");
    case Code::not_found:
      return text(404, "Not found.\n");
    case Code::exists:
    case Code::conflict:
      return text(409, error.text() + "\n");
    case Code::limit:
    case Code::quota:
      return text(413, error.text() + "\n");
    case Code::io:
    case Code::corrupt:
    case Code::internal:
      break;
  }
  log::error("http", "answered 500", {{"error", error.text()}});
  return text(500, "Something went wrong here. The log says what.\n");
}

std::string_view reason_of(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return "Status";
  }
}

}  // namespace muhur::http
