#include "web/visitor.hpp"

#include <charconv>

#include "base/log.hpp"
#include "base/random.hpp"
#include "base/unicode.hpp"
#include "web/error_page.hpp"

namespace muhur::web {
namespace {

constexpr std::size_t kLongestCookie = 200;
constexpr std::size_t kLongestQuery = 6'000;  // the server reads targets of 8 KiB

std::string cookie_name(const Services& services, std::string_view plain) {
  return services.secure() ? "__Host-" + std::string(plain) : std::string(plain);
}

std::string cookie_of(const http::Request& request, const std::string& name) {
  auto value = http::cookie(request.headers.get("Cookie").value_or(""), name).value_or("");
  return value.size() <= kLongestCookie ? value : std::string();
}

}  // namespace

long wait_of(const Error& error) {
  constexpr std::string_view kWait = "Wait ";
  if (error.code != Code::busy || !error.remedy.starts_with(kWait)) return 0;
  long seconds = 0;
  std::from_chars(error.remedy.data() + kWait.size(), error.remedy.data() + error.remedy.size(), seconds);
  return seconds;
}

Visitor::Visitor(const Services& services, const http::Request& request, std::string_view ui_locales)
    : services_(services),
      ui_locales_(ui_locales),
      accept_language_(request.headers.get("Accept-Language").value_or("")) {
  browser_.session_cookie = cookie_of(request, cookie_name(services, "muhur-session"));
  browser_.binding = cookie_of(request, cookie_name(services, "muhur-browser"));
  new_binding_ = browser_.binding.empty();
  if (new_binding_) browser_.binding = Csrf::new_binding();
  browser_.peer = request.peer.address;
  browser_.user_agent = request.headers.get("User-Agent").value_or("");
}

Frame Visitor::frame(std::string self, std::string_view wanted) const {
  const std::string all = fmt::format("{} {}", ui_locales_, wanted);
  return {services_.site, choose_language(all, accept_language_), std::move(self)};
}

std::string Visitor::link(std::string_view path) const {
  const Language& chosen = choose_language(ui_locales_, accept_language_);
  if (&chosen == &choose_language("", accept_language_)) return std::string(path);
  http::Form form;
  form.add("ui_locales", chosen.code());
  return http::with_query(path, form);
}

http::Response Visitor::send(http::Response response, const std::optional<std::string>& session) const {
  const http::CookieOptions options{.secure = services_.secure()};
  const auto set = [&](std::string_view name, std::string_view value, const http::CookieOptions& how) {
    response.headers.add("Set-Cookie", http::set_cookie(cookie_name(services_, name), value, how));
  };
  if (new_binding_) set("muhur-browser", browser_.binding, options);
  if (session && !session->empty()) set("muhur-session", *session, options);
  // What did not come is not taken away: a form that another site posts comes without cookies.
  if (session && session->empty() && !browser_.session_cookie.empty()) {
    http::CookieOptions gone = options;
    gone.max_age_s = 0;
    set("muhur-session", "", gone);
  }
  return response;
}

Result<http::Form> read_form(const http::Request& request) {
  const auto types = request.headers.all("Content-Type");
  const std::string_view type = types.size() == 1 ? types[0] : std::string_view();
  auto name = type.substr(0, type.find(';'));
  while (name.ends_with(' ') || name.ends_with('\t')) name.remove_suffix(1);
  if (!equals_ignoring_case(name, "application/x-www-form-urlencoded"))
    return fail(Code::invalid, "the body must be application/x-www-form-urlencoded");
  return http::Form::parse(request.body);
}

std::optional<http::Response> ask_by_get(const Services& services, const http::Request& request,
                                         const http::Form& form) {
  const bool other_site = request.headers.get("Sec-Fetch-Site") == "cross-site" ||
                          (request.headers.get("Origin") && !services.csrf.from_here(request));
  if (!other_site || !cookie_of(request, cookie_name(services, "muhur-session")).empty()) return {};
  const std::string query = form.encoded();
  if (query.size() > kLongestQuery) return {};
  return http::Response::redirect(request.path + "?" + query);
}

http::Response failure_page(const Frame& frame, const Error& error) {
  switch (error.code) {
    case Code::invalid:
      return error_page(frame, {.status = 400, .code = "invalid_request", .description = error.what});
    case Code::denied:
      return error_page(frame, {.kind = ErrorModel::Kind::forbidden, .status = 403});
    case Code::busy:
    case Code::timed_out:
    case Code::no_space:
    case Code::closed:
      return error_page(frame, {.kind = ErrorModel::Kind::busy, .status = 503, .retry_after_s = 2});
    default:
      break;
  }
  const std::string reference = random_token(6);
  log::error("web", "a page failed", {{"reference", reference}, {"error", error.text()}});
  return error_page(frame, {.kind = ErrorModel::Kind::failed, .status = 500, .reference = reference});
}

http::Response forbidden_page(const Frame& frame) {
  return error_page(frame, {.kind = ErrorModel::Kind::forbidden, .status = 403});
}

}  // namespace muhur::web
