// The user's own sessions: looked at, ended.
#include "web/routes.hpp"
#include "web/sessions_page.hpp"
#include "web/sign_in_step.hpp"
#include "web/user_agent.hpp"

namespace muhur::web {
namespace {

constexpr std::string_view kPath = "/account/sessions";

net::Task<http::Response> list(const Services& s, http::Request& request) {
  const auto query = http::Form::parse(request.query);
  const Visitor visitor(s, request, query ? query->value("ui_locales") : "");
  if (!query) co_return failure_page(visitor.frame(), query.error());
  const auto user = co_await s.provider.session_user(visitor.browser());
  if (!user) co_return own_sign_in(visitor, return_to_sessions(), {}, request.target);
  const auto sessions = co_await s.provider.sessions(user->id, visitor.browser());
  if (!sessions) co_return failure_page(visitor.frame(), sessions.error());
  const Frame frame = visitor.frame(request.target);
  SessionsModel model{.csrf = visitor.token("sessions"),
                      .sign_out_csrf = visitor.token("logout"),
                      .user = user->address,
                      .ended = query->has("ended")};
  for (const auto& one : *sessions)
    model.sessions.push_back({.sid = one.sid,
                              .created_s = one.created_s,
                              .last_seen_s = one.last_seen_s,
                              .peer = one.peer,
                              .user_agent = describe_user_agent(one.user_agent, frame.t),
                              .current = one.current});
  co_return visitor.send(sessions_page(frame, model));
}

net::Task<http::Response> end(const Services& s, http::Request& request) {
  const auto form = read_form(request);
  const Visitor visitor(s, request, form ? form->value("ui_locales") : "");
  if (!form) co_return failure_page(visitor.frame(), form.error());
  if (!s.csrf.check(request, *form, visitor.browser().binding, "sessions"))
    co_return visitor.send(forbidden_page(visitor.frame()));
  const auto user = co_await s.provider.session_user(visitor.browser());
  if (!user) co_return own_sign_in(visitor, return_to_sessions());
  const auto sessions = co_await s.provider.sessions(user->id, visitor.browser());
  if (!sessions) co_return failure_page(visitor.frame(), sessions.error());
  const bool others = form->value("all_others") == "1";
  std::optional<std::string> own_end;
  for (const auto& one : *sessions) {
    if (others ? one.current : one.sid != form->value("sid")) continue;
    const auto done = co_await s.provider.end_session(user->id, one.sid);
    if (!done) co_return failure_page(visitor.frame(), done.error());
    if (one.current) own_end = "";
  }
  const std::string said = visitor.link(fmt::format("{}?ended=1", kPath));
  co_return visitor.send(http::Response::redirect(said), own_end);
}

}  // namespace

void add_session_routes(http::Router& router, const Services& services) {
  // Who types the server's name wants to see something of their own.
  router.add("GET", "/", [](http::Request&, const http::Parameters&) -> net::Task<http::Response> {
    co_return http::Response::redirect(std::string(kPath));
  });
  router.add("GET", kPath,
             [&services](http::Request& r, const http::Parameters&) { return list(services, r); });
  router.add("POST", kPath,
             [&services](http::Request& r, const http::Parameters&) { return end(services, r); });
}

}  // namespace muhur::web
