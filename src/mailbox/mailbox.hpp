#pragma once
// One open mailbox: a user's mail in one encrypted file (docs/mailbox.md draws the tables).
//
// All methods block (SQLite): call them where blocking is allowed (net::on(pools.storage, …)). All may be
// called from any thread at the same time. Each method is one transaction: it happens wholly, durably, or
// not at all. Every change wakes those who wait in changes().
//
// Errors: not_found (no such folder), exists, invalid (a name that cannot be), quota, no_space, corrupt, io.

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "mailbox/changes.hpp"
#include "mailbox/content.hpp"
#include "mailbox/search.hpp"
#include "mailbox/types.hpp"
#include "mime/structure.hpp"
#include "vault/database.hpp"

namespace muhur::mailbox {

struct MailboxOptions {
  std::filesystem::path path;
  const vault::Key* key = nullptr;
  bool create = false;
  vault::Profile profile;
  vault::Executor executor;
  const Clock* clock = &Clock::system();
};

struct AppendRequest {
  FolderId folder = 0;
  std::string_view message;  // any line ends; stored with CRLF
  Flags flags;
  std::optional<std::int64_t> date_s;  // internal date; now when absent
  std::int16_t zone_minutes = 0;
  std::string_view delivery_id;  // set by the drain: a second append with the same id does nothing
};
struct Appended {
  std::uint32_t uid_validity = 0;
  Uid uid = 0;
  bool duplicate = false;  // the delivery id was known: nothing was added
};

struct Copied {
  std::uint32_t uid_validity = 0;
  std::vector<std::pair<Uid, Uid>> uids;  // from -> to, ascending in both
};

struct Stored {
  std::vector<MessageRow> changed;  // rows after the change (also when the flags were equal already)
  std::vector<Uid> modified;        // not changed: their modseq was above unchanged_since
};

// What happened in a folder after a modseq.
struct Delta {
  Folder folder;
  std::vector<MessageRow> changed;  // new or changed rows, ascending by uid
  // All that went, and of UIDs that were never known since then or had gone before perhaps some: what is in
  // here is not there.
  UidSet expunged;
};

// What a session needs to know of a folder to show it: four bytes a message.
struct Overview {
  Folder folder;
  std::vector<Uid> uids;              // ascending
  Uid first_unseen = 0;               // 0: none
  std::vector<std::string> keywords;  // used in the folder now or once
};

class Mailbox {
 public:
  // Opens or creates (with INBOX, Drafts, Sent, Trash, Junk, Archive subscribed and marked with their
  // special use, and a sealing pair), migrates. denied: wrong key or a foreign file.
  static Result<std::shared_ptr<Mailbox>> open(MailboxOptions options);
  ~Mailbox();

  // --- folders
  Result<std::vector<Folder>> folders();  // sorted by path, INBOX first
  Result<Folder> folder(std::string_view path);
  Result<Folder> folder(FolderId id);
  // Creates missing parents. invalid: empty levels, control characters, over 1,000 bytes or 50 levels.
  Result<Folder> create_folder(std::string_view path, std::string_view special_use = {});
  // With children. INBOX: moves its messages into the new folder and stays, empty (RFC 3501 §6.3.5).
  Result<void> rename_folder(std::string_view from, std::string_view to);
  // A folder with children becomes unselectable; deleting such a one again fails (invalid). INBOX: invalid.
  Result<void> delete_folder(std::string_view path);
  // Subscription is kept by name, also of a folder that is gone (RFC 3501 §6.3.9).
  Result<void> set_subscribed(std::string_view path, bool subscribed);
  Result<std::vector<std::string>> subscriptions();

  // --- messages
  Result<Appended> append(const AppendRequest& request);
  // Several in one transaction: all or none.
  Result<std::vector<Appended>> append_all(std::span<const AppendRequest> requests);
  // UIDs that are not there are passed over. Keeps flags and dates; content is shared, not copied.
  Result<Copied> copy(FolderId from, const UidSet& uids, FolderId to);
  Result<Copied> move(FolderId from, const UidSet& uids, FolderId to);
  Result<Stored> store(FolderId folder, const UidSet& uids, FlagChange change, const Flags& flags,
                       std::optional<ModSeq> unchanged_since = {});
  // Removes the messages marked \Deleted, all or those within uids. The UIDs removed, ascending.
  Result<std::vector<Uid>> expunge(FolderId folder, const std::optional<UidSet>& uids = {});

  // All rows of a folder, ascending by uid, with the folder as it was in the same snapshot.
  Result<Delta> list(FolderId folder);
  Result<Overview> overview(FolderId folder);
  // What changed after `since`. Also says which UIDs went.
  Result<Delta> changes_since(FolderId folder, ModSeq since);
  // Of that only the UIDs of new or changed rows, ascending.
  Result<std::vector<Uid>> changed_since(FolderId folder, ModSeq since);
  Result<std::vector<MessageRow>> rows(FolderId folder, const UidSet& uids);
  // Keywords used in the folder.
  Result<std::vector<std::string>> keywords(FolderId folder);

  // --- content
  Result<std::shared_ptr<const mime::Structure>> structure(EmailId email);  // cached, bounded
  // A reader of the original bytes; decompresses only the chunks it is asked for. Holds no transaction
  // between reads, and the bytes stay for it when the message is expunged. not_found: they are gone.
  Result<Content> content(EmailId email);

  // UIDs that match, ascending (mailbox/search.hpp).
  Result<std::vector<Uid>> search(FolderId folder, const Criterion& criterion);
  Result<Search> begin_search(FolderId folder, const Criterion& criterion);

  // --- the mailbox as a whole
  // Whether tidy() was not done for a day.
  Result<bool> tidy_due();
  // Forgets what nobody needs to be told of any more (mailbox/tidy.hpp says what), in short transactions.
  // `waiting`: ids of this user's deliveries that the spool still has.
  Result<void> tidy(std::vector<std::string> waiting);
  Changes& changes() { return changes_; }
  Result<std::uint64_t> bytes_used();    // logical: the sum over messages of their size
  Result<Bytes> sealing_private_half();  // opens what came while the owner was away
  Result<Bytes> sealing_public_half();
  vault::Database& database();

 private:
  struct Impl;
  explicit Mailbox(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  Changes changes_;
};

}  // namespace muhur::mailbox
