#include "oidc/pending.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/encoding.hpp"
#include "crypto/aead.hpp"
#include "crypto/mac.hpp"
#include "oidc/json.hpp"

namespace muhur::oidc {
namespace json = boost::json;
namespace {

constexpr std::string_view kPurpose = "oidc-pending";
constexpr std::size_t kLongest = 256 * 1024;

std::unexpected<Error> refused() {
  return fail(Code::denied, "the page belongs to another browser or is too old",
              "Begin again at the application");
}

std::int64_t number(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_int64() ? value->get_int64() : 0;
}

}  // namespace

std::string seal_pending(const Secret& key, const Pending& pending, std::string_view binding) {
  json::object object{{"i", pending.id}, {"e", pending.ends_s}, {"f", pending.form.encoded()}};
  if (!pending.pushed.empty()) object["p"] = pending.pushed;
  if (!pending.sid.empty()) {
    object["s"] = pending.sid;
    object["t"] = pending.auth_time_s;
  }
  const std::string text = json::serialize(object);
  return to_base64url(crypto::seal_box(key, as_bytes(text), kPurpose, crypto::sha256(as_bytes(binding))));
}

Result<Pending> open_pending(const Secret& key, std::string_view text, std::string_view binding,
                             std::int64_t now_s) {
  if (binding.empty() || text.size() > kLongest) return refused();
  const auto box = from_base64url(text);
  if (!box) return refused();
  const auto plain = crypto::open_box(key, *box, kPurpose, crypto::sha256(as_bytes(binding)));
  if (!plain) return refused();
  const auto object = parse_object(plain->text());
  if (!object) return refused();
  auto form = http::Form::parse(text_of(*object, "f").value_or(""));
  Pending pending{.id = std::string(text_of(*object, "i").value_or("")),
                  .ends_s = number(*object, "e"),
                  .pushed = std::string(text_of(*object, "p").value_or("")),
                  .sid = std::string(text_of(*object, "s").value_or("")),
                  .auth_time_s = number(*object, "t")};
  if (!form || pending.id.empty() || pending.ends_s <= now_s) return refused();
  pending.form = std::move(*form);
  return pending;
}

}  // namespace muhur::oidc
