// STORE: flags of messages that are there (RFC 3501 §6.4.6, RFC 7162 §3.1.3).
#include <algorithm>

#include "mailbox/messages.hpp"

namespace muhur::mailbox {

FlagBits after_change(const FlagBits& before, FlagChange change, const FlagBits& by) {
  FlagBits after;
  switch (change) {
    case FlagChange::replace:
      return by;
    case FlagChange::add:
      after.system = before.system | by.system;
      std::set_union(before.keywords.begin(), before.keywords.end(), by.keywords.begin(), by.keywords.end(),
                     std::back_inserter(after.keywords));
      break;
    case FlagChange::remove:
      after.system = before.system & static_cast<std::uint8_t>(~by.system);
      std::set_difference(before.keywords.begin(), before.keywords.end(), by.keywords.begin(),
                          by.keywords.end(), std::back_inserter(after.keywords));
      break;
  }
  return after;
}

Result<Stored> Messages::store(FolderId id, const UidSet& uids, FlagChange change, const Flags& flags,
                               std::optional<ModSeq> unchanged_since) {
  FolderStates folders(connection_);
  MUHUR_TRY(FolderState* const folder, folders.of(id));
  Keywords keywords(connection_);
  FlagBits by{.system = static_cast<std::uint8_t>(flags.system & kStoredFlags), .keywords = {}};
  MUHUR_TRY(std::vector<Row> rows, rows_.within(id, uids));
  Stored stored;
  if (rows.empty()) return stored;
  if (change == FlagChange::remove) {  // no new names for what is to be taken away
    for (const std::string& name : flags.keywords) {
      MUHUR_TRY(const KeywordId known, keywords.known(name));
      if (known != 0) by.keywords.push_back(known);
    }
    std::sort(by.keywords.begin(), by.keywords.end());
  } else {
    MUHUR_TRY(by.keywords, keywords.ids(flags.keywords));
  }
  bool used = false;
  for (Row& row : rows) {
    if (unchanged_since && row.modseq > *unchanged_since) {
      stored.modified.push_back(row.uid);
      continue;
    }
    const FlagBits after = after_change({row.flags, decode_keywords(row.keywords)}, change, by);
    Bytes set = encode_keywords(after.keywords);
    const bool other_keywords = set != row.keywords;
    if (after.system != row.flags || other_keywords) {
      folder->count_flags(-1, row.flags);
      folder->count_flags(+1, after.system);
      row.flags = after.system;
      row.keywords = std::move(set);
      row.modseq = folder->change();
      MUHUR_CHECK(rows_.set_flags(id, row));
      used = true;
    }
    MUHUR_TRY(MessageRow now, shown(row, keywords));
    if (other_keywords && change != FlagChange::remove) MUHUR_CHECK(check_keywords(now.flags.keywords));
    stored.changed.push_back(std::move(now));
  }
  if (used && change != FlagChange::remove) {
    MUHUR_CHECK(keywords.use(id, by.keywords));
  }
  MUHUR_CHECK(folders.save());
  return stored;
}

}  // namespace muhur::mailbox
