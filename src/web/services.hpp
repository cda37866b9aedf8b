#pragma once
// What the routes work with: the provider and its pages' furniture, handed in once at the start.

#include <functional>
#include <string>
#include <vector>

#include "accounts/sign_in.hpp"
#include "oidc/provider.hpp"
#include "web/csrf.hpp"
#include "web/layout.hpp"

namespace muhur::web {

// Proves a user by address and password. denied: one same refusal. busy: wait as long as wait_of() says; 0
// there means that the server itself is busy.
using Prove = std::function<net::Task<Result<accounts::SignedIn>>(std::string address, Secret password,
                                                                  std::string peer)>;

// The seconds that a refusal for too many wrong guesses asks for (accounts/lockout.hpp); 0: another error.
long wait_of(const Error& error);

// Outlives the router that its routes are added to. Thread-safe as long as its functions are.
struct Services {
  oidc::Provider& provider;
  Site site;
  Csrf csrf;
  Prove prove;
  std::function<bool()> ready;                // false while the server drains
  std::vector<std::string> metrics_networks;  // beside loopback: who may read /metrics

  // Whether browsers reach us by https: then cookies are Secure and carry the prefix __Host-.
  bool secure() const { return provider.options().issuer.starts_with("https:"); }
};

}  // namespace muhur::web
