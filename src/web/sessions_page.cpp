#include "web/sessions_page.hpp"

#include <ctime>

#include "web/user_agent.hpp"

namespace muhur::web {
namespace {

Html time_element(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm utc{};
  gmtime_r(&time, &utc);
  char machine[32] = "", shown[32] = "";
  std::strftime(machine, sizeof machine, "%Y-%m-%dT%H:%M:%SZ", &utc);
  std::strftime(shown, sizeof shown, "%Y-%m-%d %H:%M UTC", &utc);
  return el("time", {{"datetime", machine}}, shown);
}

Html item(const Frame& frame, const SessionsModel& model, const SessionRow& row, std::size_t index) {
  const Language& t = frame.t;
  const std::string id = fmt::format("session-{}", index);
  Html title = el("h2", {{"id", id}}, el("bdi", {}, describe_user_agent(row.user_agent, t)));
  if (row.current) title += el("p", {{"class", "tag"}}, t("sessions.current"));
  const Html facts =
      el("dl", {}, el("dt", {}, t("sessions.signed_in")), el("dd", {}, time_element(row.created_s)),
         el("dt", {}, t("sessions.last_seen")), el("dd", {}, time_element(row.last_seen_s)),
         el("dt", {}, t("sessions.from")), el("dd", {}, el("bdi", {}, row.peer)));
  const auto button = [&](std::string_view text) {
    return el("button", {{"type", "submit"}, {"aria-describedby", id}}, text);
  };
  const Html end =
      row.current ? form(frame, model.sign_out_action, model.sign_out_csrf, button(t("sessions.sign_out")))
                  : form(frame, model.action, model.csrf, hidden("sid", row.sid) + button(t("sessions.end")));
  return el("li", {}, title, facts, end);
}

}  // namespace

http::Response sessions_page(const Frame& frame, const SessionsModel& model) {
  const Language& t = frame.t;
  Html main;
  if (model.ended) main += notice(t("sessions.ended"));
  main += el("p", {{"class", "lead"}}, t.rich("consent.user", {{"user", el("bdi", {}, model.user)}}));
  Html items;
  std::size_t others = 0;
  auto rows = model.sessions;
  if (const auto own = std::ranges::find(rows, true, &SessionRow::current); own != rows.end())
    std::rotate(rows.begin(), own, own + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    items += item(frame, model, rows[i], i);
    if (!rows[i].current) ++others;
  }
  main += model.sessions.empty() ? el("p", {}, t("sessions.none")) : el("ul", {{"class", "sessions"}}, items);
  if (others > 0)
    main += form(frame, model.action, model.csrf,
                 hidden("all_others", "1") + el("button", {{"type", "submit"}}, t("sessions.end_others")));
  return page(frame, {.title = t("sessions.title"), .main = main, .wide = true});
}

}  // namespace muhur::web
