#include "oidc/par.hpp"

namespace muhur::oidc {

Result<void> insert_pushed(vault::Connection& c, std::string_view secret, std::string_view client_id,
                           std::string_view form, std::int64_t ends_s) {
  const auto hash = hash_of(secret);
  return c.run("INSERT INTO pushed_requests(hash, client_id, form, ends_s) VALUES (?, ?, ?, ?)",
               ByteView(hash), client_id, form, ends_s);
}

Result<std::optional<std::string>> take_pushed(vault::Connection& c, std::string_view secret,
                                               std::string_view client_id, std::int64_t now_s) {
  const auto hash = hash_of(secret);
  MUHUR_TRY(auto st, c.prepare("DELETE FROM pushed_requests WHERE hash = ? AND client_id = ? AND ends_s > ? "
                               "RETURNING form"));
  MUHUR_TRY(const bool row, st.bind(ByteView(hash), client_id, now_s).step());
  if (!row) return std::optional<std::string>();
  std::optional<std::string> form(st.text(0));
  MUHUR_CHECK(st.run());
  return form;
}

}  // namespace muhur::oidc
