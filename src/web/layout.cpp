#include "web/layout.hpp"

#include "base/encoding.hpp"
#include "base/unicode.hpp"
#include "crypto/mac.hpp"
#include "http/form.hpp"

namespace muhur::web {
namespace {

std::string policy_of(const Content& content) {
  std::string policy =
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'";
  if (!content.script.empty()) {
    const auto digest = crypto::sha256(as_bytes(content.script));
    policy += fmt::format("; script-src 'sha256-{}'", to_base64(digest));
  }
  policy += "; form-action 'self'";
  for (const std::string& target : content.form_targets)
    if (const std::string origin = origin_of(target); !origin.empty()) policy += " " + origin;
  return policy;
}

Html head_of(const Frame& frame, const Content& content) {
  const Assets& assets = frame.site.assets;
  Html head = el("meta", {{"charset", "utf-8"}}) +
              el("title", {}, fmt::format("{} · {}", content.title, frame.site.branding.name)) +
              el("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}) +
              el("meta", {{"name", "color-scheme"}, {"content", "light dark"}}) +
              el("meta", {{"name", "robots"}, {"content", "noindex"}}) +
              el("link", {{"rel", "icon"}, {"type", "image/svg+xml"}, {"href", assets.icon_url()}}) +
              el("link", {{"rel", "stylesheet"}, {"href", assets.style_url()}});
  if (!assets.brand_url().empty()) head += el("link", {{"rel", "stylesheet"}, {"href", assets.brand_url()}});
  return head;
}

Html banner_of(const Frame& frame) {
  const std::string& name = frame.site.branding.name;
  const Assets& assets = frame.site.assets;
  const std::string& picture_url = assets.logo_url().empty() ? assets.icon_url() : assets.logo_url();
  // The name stands beside the picture, which therefore says nothing of its own.
  const Html picture = el("img", {{"src", picture_url}, {"alt", ""}, {"height", "40"}});
  return el("header", {{"class", "banner"}}, picture, el("span", {{"class", "site"}}, name));
}

Html language_links(const Frame& frame) {
  Html items;
  for (const Language* language : languages()) {
    const std::string url = with_parameter(frame.self, "ui_locales", language->code());
    if (url.empty()) return {};
    const bool current = language == &frame.t;
    items += el("li", {},
                el("a",
                   {{"href", url},
                    {"lang", language->code()},
                    {"hreflang", language->code()},
                    {"aria-current", std::string_view("true"), current}},
                   language->own_name()));
  }
  return el("nav", {{"aria-label", frame.t("layout.languages")}}, el("ul", {{"class", "languages"}}, items));
}

Html footer_of(const Frame& frame) {
  const std::string& help = frame.site.branding.help_url;
  Html inside = language_links(frame);
  if (!help.empty()) inside += el("p", {}, el("a", {{"href", help}}, frame.t("layout.help")));
  return inside.empty() ? Html() : el("footer", {}, inside);
}

}  // namespace

http::Response page(const Frame& frame, const Content& content) {
  const Html main =
      el("main", {{"id", "main"}, {"class", content.wide ? "wide" : "card"}, {"tabindex", "-1"}},
         el("h1", {}, content.title), content.main);
  Html body = el("a", {{"class", "skip"}, {"href", "#main"}}, frame.t("layout.skip")) + banner_of(frame) +
              main + footer_of(frame);
  if (!content.script.empty()) body += inline_script(content.script);
  const Html whole = document(frame.t.code(), frame.t.right_to_left(), head_of(frame, content), body);
  http::Response response = http::Response::html(content.status, whole.markup());
  response.headers.set("Content-Language", frame.t.code());
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("Content-Security-Policy", policy_of(content));
  response.headers.set("Referrer-Policy", "same-origin");
  secure_headers(response);
  return response;
}

void secure_headers(http::Response& response) {
  const auto unless_set = [&](const char* name, const char* value) {
    if (!response.headers.get(name)) response.headers.add(name, value);
  };
  unless_set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  unless_set("X-Content-Type-Options", "nosniff");
  unless_set("X-Frame-Options", "DENY");
  unless_set("Referrer-Policy", "no-referrer");
  unless_set("Cross-Origin-Resource-Policy", "same-origin");
}

Html hidden(std::string_view name, std::string_view value) {
  return el("input", {{"type", "hidden"}, {"name", name}, {"value", value}});
}

Html alert(const Html& text) {
  return el("div", {{"class", "alert"}, {"role", "alert"}, {"aria-live", "assertive"}, {"id", "problem"}},
            el("p", {}, text));
}

Html notice(const Html& text) {
  return el("div", {{"class", "notice"}, {"role", "status"}, {"aria-live", "polite"}}, el("p", {}, text));
}

Html form(const Frame& frame, std::string_view action, std::string_view csrf, const Html& inside) {
  return el("form", {{"method", "post"}, {"action", action}}, hidden("csrf", csrf),
            hidden("ui_locales", frame.t.code()), inside);
}

std::string with_parameter(const std::string& self, std::string_view name, std::string_view value) {
  if (!self.starts_with('/')) return {};  // nor an address that names a host
  const auto question = std::min(self.find('?'), self.size());
  auto query = http::Form::parse(std::string_view(self).substr(std::min(question + 1, self.size())));
  if (!query) return {};
  query->set(std::string(name), std::string(value));
  return http::with_query(self.substr(0, question), *query);
}

std::string shown_seconds(long seconds) { return std::to_string(std::max(seconds, 2l)); }

Html decision(std::string_view approve, std::string_view deny) {
  const auto button = [](const char* value, std::string_view text, bool primary) {
    return el("button",
              {{"type", "submit"},
               {"name", "decision"},
               {"value", value},
               {"class", std::string_view("primary"), primary}},
              text);
  };
  return el("div", {{"class", "buttons"}}, button("approve", approve, true), button("deny", deny, false));
}

std::string origin_of(std::string_view uri) {
  const std::string safe = safe_url(uri);
  const auto colon = safe.find(':');
  if (safe.starts_with('#') || safe.starts_with('/') || colon == std::string::npos) return {};
  const std::string scheme = to_lower_ascii(safe.substr(0, colon));
  if (scheme != "http" && scheme != "https") return scheme + ":";
  const auto begin = colon + 3;
  const std::string authority = safe.substr(begin, safe.find_first_of("/?#", begin) - begin);
  // A content security policy has no way to name an IPv6 address; what could end the directive is no host.
  if (authority.starts_with('[')) return scheme + ":";
  if (authority.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:_") !=
      std::string::npos)
    return {};
  return scheme + "://" + to_lower_ascii(authority);
}

}  // namespace muhur::web
