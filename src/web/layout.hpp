#pragma once
// The frame of every page, and the headers that go with it: a content security policy without scripts and
// without anything inline, no framing, no referrer for others, no caching.
//
// Pages send a referrer to this site itself: under "no-referrer" browsers post forms with "Origin: null", and
// then the check of Origin (csrf.hpp) would have nothing to look at.

#include <string>
#include <vector>

#include "http/message.hpp"
#include "web/assets.hpp"
#include "web/html.hpp"
#include "web/i18n.hpp"

namespace muhur::web {

struct Site {
  Branding branding;
  Assets assets;
};

// What a page is made with.
struct Frame {
  const Site& site;
  const Language& t;
  // Path and query of this page when it was asked for by GET: the language links lead there with another
  // ui_locales. Empty (an answer to a POST): no such links.
  std::string self;
};

struct Content {
  std::string title;
  Html main;  // <h1> is made of the title
  int status = 200;
  bool wide = false;  // a list rather than a card
  // URIs that a form of this page leads to in the end: browsers hold the redirects that follow a form against
  // form-action too. Their origins are allowed beside 'self'.
  std::vector<std::string> form_targets;
  std::string script;  // source of one inline script, allowed by its hash
};

http::Response page(const Frame& frame, const Content& content);

// Sets what every response carries (for ServerOptions::finish) where a handler has not set its own: nosniff,
// no framing, no referrer, a policy that allows nothing.
void secure_headers(http::Response& response);

// Pieces that pages share.
Html hidden(std::string_view name, std::string_view value);  // <input type="hidden">
Html alert(const Html& text);                                // an error that screen readers announce
Html notice(const Html& text);
Html decision(std::string_view approve, std::string_view deny);  // two buttons, "decision" in the form
// A <form method="post"> with csrf token and the page's language (so that the answer comes in it too).
Html form(const Frame& frame, std::string_view action, std::string_view csrf, const Html& inside);
// Frame::self asked for again with another parameter; empty when it is empty or cannot be.
std::string with_parameter(const std::string& self, std::string_view name, std::string_view value);
std::string shown_seconds(long seconds);      // at least two: texts say "seconds"
std::string origin_of(std::string_view uri);  // "https://a.example:8443", "com.example.app:"; empty: none

}  // namespace muhur::web
