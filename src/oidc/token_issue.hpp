#pragma once
// Handing out access and refresh tokens. Private to the grants.

#include "oidc/token.hpp"

namespace muhur::oidc {

struct Issue {
  Grant grant;
  std::string scope, resource;  // of the access token
  Secret dek;                   // empty: none goes along
  std::string refresh;          // handed out along; empty: none
};
Result<Issued> issue_tokens(vault::Connection& c, const TokenCall& call, Issue issue);

}  // namespace muhur::oidc
