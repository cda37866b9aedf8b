#include "mailbox/refs.hpp"

namespace muhur::mailbox {

const RefStatements kEmailRefs = {
    .add =
        "INSERT INTO email_refs (email_id, refs) VALUES (?, 2) "
        "ON CONFLICT (email_id) DO UPDATE SET refs = refs + 1",
    .decrease = "UPDATE email_refs SET refs = refs - 1 WHERE email_id = ?",
    .remove_pair = "DELETE FROM email_refs WHERE email_id = ?",
    .count = "SELECT refs FROM email_refs WHERE email_id = ?",
};

const RefStatements kAttachmentRefs = {
    .add =
        "INSERT INTO attachment_refs (attachment_id, refs) VALUES (?, 2) "
        "ON CONFLICT (attachment_id) DO UPDATE SET refs = refs + 1",
    .decrease = "UPDATE attachment_refs SET refs = refs - 1 WHERE attachment_id = ?",
    .remove_pair = "DELETE FROM attachment_refs WHERE attachment_id = ?",
    .count = "SELECT refs FROM attachment_refs WHERE attachment_id = ?",
};

Result<void> add_ref(vault::Connection& connection, const RefStatements& table, std::int64_t id) {
  return connection.run(table.add, id);
}

Result<bool> drop_ref(vault::Connection& connection, const RefStatements& table, std::int64_t id) {
  std::int64_t refs = 1;
  {
    MUHUR_TRY(auto st, connection.prepare(table.count));
    st.bind(id);
    MUHUR_TRY(const bool row, st.step());
    if (row) refs = st.int64(0);
  }
  if (refs <= 1) return true;
  MUHUR_CHECK(connection.run(refs == 2 ? table.remove_pair : table.decrease, id));
  return false;
}

}  // namespace muhur::mailbox
