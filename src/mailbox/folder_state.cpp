#include "mailbox/folder_state.hpp"

namespace muhur::mailbox {

Result<FolderState*> FolderStates::of(FolderId id) {
  if (const auto at = states_.find(id); at != states_.end()) return &at->second;
  MUHUR_TRY(auto st, connection_.prepare(
                         "SELECT uid_validity, uid_next, highest_modseq, messages, unseen, deleted, bytes "
                         "FROM mailboxes WHERE id = ? AND selectable"));
  st.bind(id);
  MUHUR_TRY(const bool row, st.step());
  if (!row) return fail(Code::not_found, "There is no such folder");
  FolderState state;
  state.id = id;
  state.uid_validity = st.as<std::uint32_t>(0);
  state.uid_next = st.as<std::uint64_t>(1);
  state.highest_modseq = st.as<ModSeq>(2);
  state.messages = st.int64(3);
  state.unseen = st.int64(4);
  state.deleted = st.int64(5);
  state.bytes = st.int64(6);
  return &states_.emplace(id, state).first->second;
}

Result<void> FolderStates::save() {
  for (auto& [id, state] : states_) {
    if (!state.changed) continue;
    MUHUR_CHECK(connection_.run(
        "UPDATE mailboxes SET uid_next = ?, highest_modseq = ?, messages = ?, unseen = ?, deleted = ?, "
        "bytes = ? WHERE id = ?",
        state.uid_next, state.highest_modseq, state.messages, state.unseen, state.deleted, state.bytes, id));
    state.changed = false;
  }
  return {};
}

}  // namespace muhur::mailbox
