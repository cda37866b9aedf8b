#include "oidc/par.hpp"

namespace muhur::oidc {

Result<void> insert_pushed(vault::Connection& c, std::string_view secret, std::string_view client_id,
                           std::string_view form, std::int64_t ends_s) {
  const auto hash = hash_of(secret);
  return c.run("INSERT INTO pushed_requests(hash, client_id, form, ends_s) VALUES (?, ?, ?, ?)",
               ByteView(hash), client_id, form, ends_s);
}

Result<std::optional<std::string>> find_pushed(vault::Connection& c, std::string_view secret,
                                               std::string_view client_id, std::int64_t now_s) {
  const auto hash = hash_of(secret);
  MUHUR_TRY(auto st,
            c.prepare("SELECT form FROM pushed_requests WHERE hash = ? AND client_id = ? AND ends_s > ?"));
  MUHUR_TRY(const bool row, st.bind(ByteView(hash), client_id, now_s).step());
  if (!row) return std::optional<std::string>();
  return std::optional<std::string>(st.text(0));
}

Result<bool> use_pushed(vault::Connection& c, std::string_view secret, std::int64_t ends_s) {
  const auto hash = hash_of(secret);
  MUHUR_CHECK(c.run("DELETE FROM pushed_requests WHERE hash = ?", ByteView(hash)));
  return Store::remember_once(c, {"pushed " + std::string(secret), ends_s});
}

}  // namespace muhur::oidc
