#pragma once
// From what the provider wants next to a page or a redirect, and the sign-in form's answer to a proof.
// Private to web/.

#include "web/sign_in_page.hpp"
#include "web/visitor.hpp"

namespace muhur::web {

// The page or redirect for an outcome. `self`: Frame::self.
http::Response show(const Visitor& visitor, const oidc::Outcome& outcome, std::string self = {});

// A sign-in that belongs to no client's request, from one of our own pages: where it leads afterwards is one
// of these, never an address from outside.
struct Return {
  std::string action;  // of the form: the login's path with where to go
  std::string path;    // where to go
};
Return return_to_sessions();
Return return_to_device(std::string_view user_code);
Return return_from(const http::Form& query);  // of the form's action; sessions when it says nothing

http::Response own_sign_in(const Visitor& visitor, const Return& where, SignInModel model = {},
                           std::string self = {});

// What the form says after this error: refused, wait or busy.
void explain(SignInModel& model, const Error& error);

}  // namespace muhur::web
