#include "mailbox/attachments.hpp"

#include "mailbox/chunks.hpp"
#include "mailbox/damaged.hpp"
#include "mailbox/refs.hpp"

namespace muhur::mailbox {

Result<bool> Attachments::knows(const crypto::Digest& hash) {
  MUHUR_TRY(auto st, connection_.prepare("SELECT id, size FROM attachments WHERE hash = ?"));
  st.bind(ByteView(hash));
  return st.step();
}

Result<AttachmentId> Attachments::hold(const PreparedAttachment& attachment) {
  {
    MUHUR_TRY(auto st, connection_.prepare("SELECT id, size FROM attachments WHERE hash = ?"));
    st.bind(ByteView(attachment.hash));
    MUHUR_TRY(const bool there, st.step());
    if (there) {
      const AttachmentId id = st.int64(0);
      if (st.as<std::size_t>(1) != attachment.plain.size()) return damaged(connection_, "An attachment");
      MUHUR_CHECK(add_ref(connection_, kAttachmentRefs, id));
      return id;
    }
  }
  MUHUR_CHECK(connection_.run("INSERT INTO attachments (size, hash) VALUES (?, ?)", attachment.plain.size(),
                              ByteView(attachment.hash)));
  const AttachmentId id = connection_.last_insert_id();
  // No chunks were made when the mailbox had it a moment ago: it was expunged meanwhile.
  MUHUR_CHECK(insert_chunks(connection_, ChunkOwner::attachment, id,
                            attachment.chunks.empty() ? pack_chunks(attachment.plain) : attachment.chunks));
  return id;
}

Result<void> Attachments::release(AttachmentId id) {
  MUHUR_TRY(const bool last, drop_ref(connection_, kAttachmentRefs, id));
  if (!last) return {};
  MUHUR_CHECK(remove_chunks(connection_, ChunkOwner::attachment, id));
  return connection_.run("DELETE FROM attachments WHERE id = ?", id);
}

}  // namespace muhur::mailbox
