#include "mailbox/emails.hpp"

#include "mailbox/attachments.hpp"
#include "mailbox/chunks.hpp"
#include "mailbox/damaged.hpp"
#include "mailbox/refs.hpp"
#include "mailbox/summary.hpp"

namespace muhur::mailbox {

Result<EmailId> Emails::insert(const PreparedEmail& email) {
  std::optional<Bytes> layout;
  if (!email.layout.empty()) {
    Layout placed = email.layout;
    Attachments attachments(connection_);
    for (Segment& segment : placed) {
      if (segment.attachment == 0) continue;
      MUHUR_TRY(segment.attachment,
                attachments.hold(email.attachments[static_cast<std::size_t>(segment.attachment - 1)]));
    }
    layout = encode_layout(placed);
  }
  std::optional<ByteView> body;
  if (email.chunks.size() == 1) body = email.chunks[0];
  MUHUR_CHECK(connection_.run(
      "INSERT INTO emails (size, sent_day, head_size, layout, summary, head, body) VALUES (?, ?, ?, ?, ?, ?, "
      "?)",
      email.bytes().size(), email.sent_day, email.head_size, layout, email.summary, email.head, body));
  const EmailId id = connection_.last_insert_id();
  if (email.chunks.size() > 1) {
    MUHUR_CHECK(insert_chunks(connection_, ChunkOwner::email, id, email.chunks));
  }
  MUHUR_CHECK(connection_.run("INSERT INTO texts (email_id, text) VALUES (?, ?)", id, email.text));
  return id;
}

Result<void> Emails::share(EmailId id) { return add_ref(connection_, kEmailRefs, id); }

Result<void> Emails::release(EmailId id, std::uint64_t size, Pins::Removal& removal) {
  MUHUR_TRY(const bool last, drop_ref(connection_, kEmailRefs, id));
  if (!last) return {};
  if (removal.take(id, size)) return remove(id);
  return connection_.run("INSERT INTO leaving (email_id) VALUES (?)", id);
}

Result<void> Emails::remove_leaving(Pins::Removal& removal, EmailId& behind) {
  std::vector<EmailId> gone;
  {
    MUHUR_TRY(auto st, connection_.prepare("SELECT l.email_id, coalesce(e.size, 0) FROM leaving l "
                                           "LEFT JOIN emails e ON e.id = l.email_id "
                                           "WHERE l.email_id > ? ORDER BY l.email_id"));
    st.bind(behind);
    while (!removal.left_some()) {
      MUHUR_TRY(const bool row, st.step());
      if (!row) break;
      if (removal.take(st.int64(0), st.as<std::uint64_t>(1))) gone.push_back(st.int64(0));
      if (!removal.left_some()) behind = st.int64(0);
    }
  }
  for (const EmailId id : gone) {
    MUHUR_CHECK(remove(id));
    MUHUR_CHECK(connection_.run("DELETE FROM leaving WHERE email_id = ?", id));
  }
  return {};
}

Result<void> Emails::remove(EmailId id) {
  std::optional<Layout> layout;
  {
    MUHUR_TRY(auto st, connection_.prepare("SELECT layout, size - head_size FROM emails WHERE id = ?"));
    st.bind(id);
    MUHUR_TRY(const bool row, st.step());
    if (row && !st.is_null(0)) {
      layout = decode_layout(st.blob(0), st.as<std::uint64_t>(1));
      if (!layout) return damaged(connection_, "A message");
    }
  }
  if (layout) {
    Attachments attachments(connection_);
    for (const Segment& segment : *layout)
      if (segment.attachment != 0) MUHUR_CHECK(attachments.release(segment.attachment));
  }
  MUHUR_CHECK(remove_chunks(connection_, ChunkOwner::email, id));
  MUHUR_CHECK(connection_.run("DELETE FROM texts WHERE email_id = ?", id));
  return connection_.run("DELETE FROM emails WHERE id = ?", id);
}

Result<mime::Structure> Emails::structure(EmailId id) {
  MUHUR_TRY(auto st, connection_.prepare("SELECT size, summary FROM emails WHERE id = ?"));
  st.bind(id);
  MUHUR_TRY(const bool row, st.step());
  if (!row) return fail(Code::not_found, "The message is gone");
  auto structure = decode_summary(st.blob(1), st.as<std::uint64_t>(0));
  if (!structure) return damaged(connection_, "A message");
  return std::move(*structure);
}

}  // namespace muhur::mailbox
