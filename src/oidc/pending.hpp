#pragma once
// An authorization request on its way through the pages: sealed, bound to one browser, expiring, so that
// nothing of it is kept at the server. Its id is remembered when it ends in an answer, so it ends once.
//
//   text := base64url(seal_box(key, JSON, "oidc-pending", SHA-256(the browser's binding)))
//   JSON := {"i": id, "e": expires, "f": the form, "p": pushed, "s": sid, "t": auth_time}
//   (p: of a request that was pushed; s, t: consent)

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/secret.hpp"
#include "http/form.hpp"

namespace muhur::oidc {

struct Pending {
  std::string id;
  std::int64_t ends_s = 0;
  http::Form form;
  std::string pushed;  // the secret of the request_uri that it came by, used up with it; empty: none
  std::string sid;  // of the session that is to consent; empty: nobody has signed in yet
  std::int64_t auth_time_s = 0;
};

std::string seal_pending(const Secret& key, const Pending& pending, std::string_view binding);
// denied: another browser, over, or none of ours.
Result<Pending> open_pending(const Secret& key, std::string_view text, std::string_view binding,
                             std::int64_t now_s);

}  // namespace muhur::oidc
