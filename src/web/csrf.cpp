#include "web/csrf.hpp"

#include "base/encoding.hpp"
#include "base/random.hpp"
#include "crypto/mac.hpp"

namespace muhur::web {
namespace {

// What is signed: both parts with their lengths, so that no two pairs look the same.
std::string signed_text(std::string_view binding, std::string_view purpose) {
  return fmt::format("muhur form\n{}:{}\n{}:{}", purpose.size(), purpose, binding.size(), binding);
}

}  // namespace

Csrf::Csrf(Secret key, std::string origin) : key_(std::move(key)), origin_(std::move(origin)) {}

std::string Csrf::token(std::string_view binding, std::string_view purpose) const {
  const auto mac = crypto::hmac_sha256(key_.view(), as_bytes(signed_text(binding, purpose)));
  return to_base64url(mac);
}

bool Csrf::matches(std::string_view token, std::string_view binding, std::string_view purpose) const {
  if (binding.empty()) return false;
  return equal_constant_time(as_bytes(token), as_bytes(this->token(binding, purpose)));
}

bool Csrf::from_here(const http::Request& request) const {
  const auto site = request.headers.get("Sec-Fetch-Site");
  if (site && *site != "same-origin" && *site != "none") return false;
  const auto origin = request.headers.get("Origin");
  if (!origin || *origin == origin_) return true;
  // A browser that hides the origin (a privacy setting) says all the same that the request is ours.
  return *origin == "null" && site == "same-origin";
}

Result<void> Csrf::check(const http::Request& request, const http::Form& form, std::string_view binding,
                         std::string_view purpose) const {
  if (!from_here(request)) return fail(Code::denied, "the form was sent from another site");
  if (!matches(form.value(kField), binding, purpose))
    return fail(Code::denied, "the form does not belong to this browser, or is too old");
  return {};
}

std::string Csrf::new_binding() { return random_token(32); }

}  // namespace muhur::web
