#include "bench/login_flow.hpp"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <chrono>

#include "base/encoding.hpp"
#include "base/random.hpp"
#include "bench/login_page.hpp"
#include "crypto/mac.hpp"
#include "http/form.hpp"

namespace muhur::bench {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr int kMostHops = 12;
constexpr std::size_t kVerifier = 43;  // the shortest that RFC 7636 allows

double since(Clock::time_point begun) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
}

void append(std::string& form, std::string_view name, std::string_view value) {
  if (!form.empty()) form += '&';
  form.append(http::percent_encode(name)).append("=").append(http::percent_encode(value));
}

std::string as_form(const FormFields& fields) {
  std::string form;
  for (const auto& [name, value] : fields) append(form, name, value);
  return form;
}

std::string challenge_of(std::string_view verifier) {
  return to_base64url(crypto::sha256(as_bytes(verifier)));
}

bool is_redirect(int status) { return status == 302 || status == 303; }

std::string text_of(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

Result<json::object> object_of(std::string_view body) {
  boost::system::error_code error;
  json::value value = json::parse(body, error);
  if (error || !value.is_object()) return fail(Code::invalid, "the answer is no JSON object");
  return std::move(value.get_object());
}

}  // namespace

net::Task<LoginUser::Outcome> LoginUser::iterate(std::uint64_t account) {
  cookies_.clear();
  const auto done = co_await steps(account);
  if (done) {
    if (tally_.counting) ++tally_.iterations;
    co_return Outcome{};
  }
  const Stopped& stopped = done.error();
  if (stopped.refused) {
    if (tally_.counting) ++tally_.refused;
    co_return Outcome{Kind::refused, stopped.retry_after_s};
  }
  tally_.error(stopped.why);
  connection_.close();
  co_return Outcome{Kind::failed};
}

net::Task<LoginUser::Stepped<>> LoginUser::steps(std::uint64_t account) {
  const LoginProfile& p = target_.profile;
  Secrets secrets{.verifier = random_hex(32).substr(0, kVerifier), .state = random_hex(8)};
  const auto named = [](LoginStep step, Stopped stopped) {
    stopped.why = fmt::format("{}: {}", kLoginSteps[static_cast<std::size_t>(step)], stopped.why);
    return std::unexpected(std::move(stopped));
  };

  auto begun = Clock::now();
  auto page = co_await open_page(secrets);
  if (!page) co_return named(LoginStep::authorize, page.error());
  tally_.step(LoginStep::authorize, since(begun));

  append(*page, p.user_field, numbered(p.account, account));
  append(*page, p.password_field, numbered(p.password, account));
  begun = Clock::now();
  auto code = co_await sign_in(std::move(*page), secrets);
  if (!code) co_return named(LoginStep::login, code.error());
  tally_.step(LoginStep::login, since(begun));

  std::string form = as_form({{"grant_type", "authorization_code"},
                              {"code", *code},
                              {"redirect_uri", p.redirect_uri},
                              {"code_verifier", secrets.verifier}});
  begun = Clock::now();
  const auto got = co_await tokens(std::move(form), secrets);
  if (!got) co_return named(LoginStep::token, got.error());
  tally_.step(LoginStep::token, since(begun));

  begun = Clock::now();
  const auto active = co_await introspect(secrets);
  if (!active) co_return named(LoginStep::introspect, active.error());
  tally_.step(LoginStep::introspect, since(begun));

  form = as_form({{"grant_type", "refresh_token"}, {"refresh_token", secrets.refresh}});
  begun = Clock::now();
  const auto again = co_await tokens(std::move(form), secrets);
  if (!again) co_return named(LoginStep::refresh, again.error());
  tally_.step(LoginStep::refresh, since(begun));
  co_return Stepped<>();
}

net::Task<LoginUser::Stepped<std::string>> LoginUser::open_page(const Secrets& secrets) {
  const LoginProfile& p = target_.profile;
  FormFields query{{"response_type", "code"},        {"client_id", p.client_id},
                   {"redirect_uri", p.redirect_uri}, {"scope", p.scope},
                   {"state", secrets.state},         {"code_challenge", challenge_of(secrets.verifier)},
                   {"code_challenge_method", "S256"}};
  query.insert(query.end(), p.parameters.begin(), p.parameters.end());
  std::string target = p.authorization + "?" + as_form(query);
  for (int hop = 0; hop < kMostHops; ++hop) {
    const auto answer = co_await get(std::move(target));
    if (!answer) co_return std::unexpected(answer.error());
    if (is_redirect(answer->status)) {
      auto next = path_of(answer->location);
      if (!next) co_return std::unexpected(next.error());
      target = std::move(*next);
      continue;
    }
    const auto form = find_form(answer->body, p.sign_in_action);
    if (answer->status != 200 || !form)
      co_return std::unexpected(Stopped{.why = fmt::format("status {}, no sign-in form", answer->status)});
    form_action_ = form->action;
    FormFields fields = form->hidden;
    fields.insert(fields.end(), p.sign_in_fields.begin(), p.sign_in_fields.end());
    co_return as_form(fields);
  }
  co_return std::unexpected(Stopped{.why = "redirects without end"});
}

net::Task<LoginUser::Stepped<std::string>> LoginUser::sign_in(std::string body, const Secrets& secrets) {
  const LoginProfile& p = target_.profile;
  auto target = path_of(form_action_);
  if (!target) co_return std::unexpected(target.error());
  auto answer = co_await post(std::move(*target), std::string(kForm), std::move(body));
  for (int hop = 0; hop < kMostHops; ++hop) {
    if (!answer) co_return std::unexpected(answer.error());
    if (is_redirect(answer->status)) {
      const std::string_view location = answer->location;
      if (location.starts_with(p.redirect_uri)) {
        const auto query =
            http::Form::parse(location.substr(std::min(location.find('?') + 1, location.size())));
        if (!query || query->value("code").empty() || query->value("state") != secrets.state)
          co_return std::unexpected(Stopped{.why = "came back without a code or with another state"});
        co_return std::string(query->value("code"));
      }
      auto next = path_of(location);
      if (!next) co_return std::unexpected(next.error());
      answer = co_await get(std::move(*next));
      continue;
    }
    std::optional<PageForm> consent;
    if (answer->status == 200 && !p.consent_action.empty())
      consent = find_form(answer->body, p.consent_action);
    if (!consent) {
      const bool again = find_form(answer->body, p.sign_in_action).has_value();
      co_return std::unexpected(Stopped{
          .why = fmt::format("status {}{}", answer->status, again ? ", the sign-in form again" : "")});
    }
    FormFields fields = consent->hidden;
    fields.insert(fields.end(), p.consent_fields.begin(), p.consent_fields.end());
    auto next = path_of(consent->action);
    if (!next) co_return std::unexpected(next.error());
    answer = co_await post(std::move(*next), std::string(kForm), as_form(fields));
  }
  co_return std::unexpected(Stopped{.why = "redirects without end"});
}

net::Task<LoginUser::Stepped<>> LoginUser::tokens(std::string form, Secrets& into) {
  std::string authorization;
  authenticate(form, authorization);
  const auto answer =
      co_await post(target_.profile.token, std::string(kForm), std::move(form), std::move(authorization));
  if (!answer) co_return std::unexpected(answer.error());
  const auto object = object_of(answer->body);
  if (answer->status != 200 || !object)
    co_return std::unexpected(
        Stopped{.why = fmt::format("status {} {}", answer->status, object ? text_of(*object, "error") : "")});
  into.access = text_of(*object, "access_token");
  into.refresh = text_of(*object, "refresh_token");
  if (into.access.empty()) co_return std::unexpected(Stopped{.why = "no access_token"});
  if (into.refresh.empty()) co_return std::unexpected(Stopped{.why = "no refresh_token"});
  co_return Stepped<>();
}

net::Task<LoginUser::Stepped<>> LoginUser::introspect(const Secrets& secrets) {
  const LoginProfile& p = target_.profile;
  std::string body, authorization, type;
  if (p.introspect_by_bearer) {
    body = fmt::format(R"({{"token":"{}"}})", secrets.access);  // of the base64url alphabet, or a JWT's
    authorization = "Bearer " + secrets.access;
    type = "application/json";
  } else {
    append(body, "token", secrets.access);
    authenticate(body, authorization);
    type = kForm;
  }
  const auto answer =
      co_await post(p.introspection, std::move(type), std::move(body), std::move(authorization));
  if (!answer) co_return std::unexpected(answer.error());
  const auto object = object_of(answer->body);
  const auto* active = object ? object->if_contains("active") : nullptr;
  if (answer->status != 200 || !active || !active->is_bool() || !active->get_bool())
    co_return std::unexpected(Stopped{.why = fmt::format("status {}, not active", answer->status)});
  co_return Stepped<>();
}

// ---- requests

void LoginUser::authenticate(std::string& form, std::string& authorization) const {
  const LoginProfile& p = target_.profile;
  using Auth = LoginProfile::ClientAuth;
  if (p.client_auth != Auth::basic) append(form, "client_id", p.client_id);
  if (p.client_auth == Auth::post) append(form, "client_secret", p.client_secret);
  if (p.client_auth == Auth::basic)
    authorization =
        "Basic " +
        to_base64(as_bytes(http::percent_encode(p.client_id) + ":" + http::percent_encode(p.client_secret)));
}

LoginUser::Stepped<std::string> LoginUser::path_of(std::string_view location) const {
  if (location.starts_with(target_.origin)) location.remove_prefix(target_.origin.size());
  if (!location.starts_with('/') || location.starts_with("//"))
    return std::unexpected(Stopped{.why = "sent to another place"});
  return std::string(location);
}

void LoginUser::begin_request(std::string_view method, std::string_view target) {
  request_.assign(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: ");
  request_.append(target_.origin.substr(target_.origin.find("//") + 2)).append("\r\n");
}

net::Task<LoginUser::Stepped<HttpAnswer>> LoginUser::get(std::string target) {
  begin_request("GET", target);
  request_ += "Accept: text/html\r\n";
  cookies_.append_header(request_);
  request_ += "\r\n";
  co_return co_await send();
}

net::Task<LoginUser::Stepped<HttpAnswer>> LoginUser::post(std::string target, std::string type,
                                                          std::string body, std::string authorization) {
  begin_request("POST", target);
  // As browsers do it with a page's form. What a client asks directly has neither these nor cookies.
  const bool direct = target == target_.profile.token || target == target_.profile.introspection;
  if (!direct) {
    request_.append("Origin: ").append(target_.origin).append("\r\n");
    request_.append("Referer: ").append(target_.origin).append(target_.profile.authorization).append("\r\n");
    cookies_.append_header(request_);
  }
  if (!authorization.empty()) request_.append("Authorization: ").append(authorization).append("\r\n");
  request_.append("Content-Type: ").append(type);
  request_.append(fmt::format("\r\nContent-Length: {}\r\n\r\n", body.size())).append(body);
  co_return co_await send();
}

net::Task<LoginUser::Stepped<HttpAnswer>> LoginUser::send() {
  const auto answer = co_await connection_.exchange(request_);
  if (!answer) co_return std::unexpected(Stopped{.why = answer.error().what});
  for (const std::string_view cookie : answer->cookies) cookies_.take(cookie);
  if (answer->status == 503 && answer->retry_after_s)
    co_return std::unexpected(
        Stopped{.refused = true, .retry_after_s = *answer->retry_after_s, .why = "503"});
  co_return *answer;
}

}  // namespace muhur::bench
