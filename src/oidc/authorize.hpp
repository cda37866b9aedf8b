#pragma once
// What is to happen with a valid authorization request: a pure function of the request and of who is there.

#include <optional>

#include "oidc/request.hpp"

namespace muhur::oidc {

// Who is signed in.
struct Present {
  std::string subject;
  std::int64_t auth_time_s = 0;
  std::vector<std::string> groups;
  bool fresh = false;      // proved who they are for this very request
  bool consented = false;  // said yes to this very request
};

struct Decision {
  enum class Step { sign_in, consent, issue, refuse };
  Step step = Step::refuse;
  OAuthError error;  // of refuse; goes to the client
};

// Which of the pages, a code, or an error. `remembered`: the scope that the user allowed this client for
// good.
Decision decide(const AuthorizationRequest& request, const std::optional<Present>& present,
                std::string_view remembered, std::int64_t now_s);

}  // namespace muhur::oidc
