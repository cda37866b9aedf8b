// The facade: each method is one transaction over the repositories of this folder, and tells changes()
// once it is durable.
#include "mailbox/mailbox.hpp"

#include <atomic>
#include <iterator>
#include <set>

#include "base/lru.hpp"
#include "base/metrics.hpp"
#include "mailbox/attachments.hpp"
#include "mailbox/content_impl.hpp"
#include "mailbox/emails.hpp"
#include "mailbox/folders.hpp"
#include "mailbox/messages.hpp"
#include "mailbox/schema.hpp"
#include "mailbox/search_run.hpp"
#include "mailbox/tidy.hpp"

namespace muhur::mailbox {
namespace {

using vault::Connection;

constexpr std::size_t kMaxReaders = 4;
constexpr std::size_t kStructures = 20'000;               // in the cache, at most
constexpr std::size_t kStructureBytes = 4 * 1024 * 1024;  // likewise, estimated

std::size_t weight_of(const mime::Structure& structure) {
  const auto& envelope = structure.envelope;
  const std::size_t addresses = envelope.from.size() + envelope.sender.size() + envelope.reply_to.size() +
                                envelope.to.size() + envelope.cc.size() + envelope.bcc.size();
  return 512 + structure.parts.size() * 2 * sizeof(mime::Part) + addresses * 2 * sizeof(mime::Address) +
         structure.inner_envelopes.size() * 4 * sizeof(mime::Envelope);
}

}  // namespace

struct Mailbox::Impl {
  std::shared_ptr<vault::Database> database;
  std::shared_ptr<Pins> pins = std::make_shared<Pins>();
  const Clock* clock = nullptr;
  Secret hash_key;
  std::atomic<std::int64_t> tidied_s = -1;  // when last; -1: not looked up yet

  Mutex mutex;
  Lru<EmailId, std::shared_ptr<const mime::Structure>> structures MUHUR_GUARDED_BY(mutex){kStructures,
                                                                                          kStructureBytes};

  bool has_attachment(const crypto::Digest& hash) {
    const auto known = database->read([&](Connection& c) { return Attachments(c).knows(hash); });
    return known && *known;
  }
};

Mailbox::Mailbox(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Mailbox::~Mailbox() = default;

Result<std::shared_ptr<Mailbox>> Mailbox::open(MailboxOptions options) {
  vault::DatabaseOptions opening;
  opening.open.path = options.path;
  opening.open.key = options.key;
  opening.open.mode = options.create ? vault::OpenMode::create : vault::OpenMode::read_write;
  opening.open.profile = options.profile;
  opening.migrations = migrations();
  opening.max_readers = kMaxReaders;
  opening.executor = std::move(options.executor);
  opening.metrics_label = "mailboxes";
  // SQLite takes a file without a byte in it for a new database: a user whose mail was cut away by a full
  // disk or a bad copy would be shown an empty mailbox.
  std::error_code no_such_file;
  if (!options.create && std::filesystem::file_size(options.path, no_such_file) == 0)
    return fail(Code::corrupt, "the mailbox file " + options.path.string() + " is empty",
                "Restore it from a backup");
  auto impl = std::make_unique<Impl>();
  impl->clock = options.clock;
  MUHUR_TRY(impl->database, vault::Database::open(std::move(opening)));
  MUHUR_TRY(const std::int64_t provisioned,
            impl->database->read([](Connection& c) { return c.query_int("SELECT count(*) FROM keys"); }));
  if (provisioned == 0) {
    MUHUR_CHECK(impl->database->write([&](Connection& c) { return provision(c, *options.clock); }));
  }
  MUHUR_TRY(const std::int64_t leaving, impl->database->read([](Connection& c) {
    return c.query_int("SELECT EXISTS (SELECT 1 FROM leaving)");
  }));
  if (leaving != 0) remove_leaving(impl->pins, impl->database);
  MUHUR_TRY(impl->hash_key,
            impl->database->read([](Connection& c) { return stored_key(c, kContentHashKey); }));
  return std::shared_ptr<Mailbox>(new Mailbox(std::move(impl)));
}

// ---- folders

Result<std::vector<Folder>> Mailbox::folders() {
  return impl_->database->read([&](Connection& c) { return Folders(c, *impl_->clock).all(); });
}

Result<Folder> Mailbox::folder(std::string_view path) {
  return impl_->database->read([&](Connection& c) { return Folders(c, *impl_->clock).find(path); });
}

Result<Folder> Mailbox::folder(FolderId id) {
  return impl_->database->read([&](Connection& c) { return Folders(c, *impl_->clock).find(id); });
}

Result<Folder> Mailbox::create_folder(std::string_view path, std::string_view special_use) {
  MUHUR_TRY(Folder made, impl_->database->write([&](Connection& c) {
    return Folders(c, *impl_->clock).create(path, special_use);
  }));
  changes_.tell(0);
  return made;
}

Result<void> Mailbox::rename_folder(std::string_view from, std::string_view to) {
  MUHUR_TRY(const FolderId id, impl_->database->write([&](Connection& c) -> Result<FolderId> {
    Folders folders(c, *impl_->clock);
    MUHUR_TRY(const Folder folder, folders.find(from));
    MUHUR_CHECK(folders.rename(from, to));
    return folder.id;
  }));
  changes_.tell(0);
  changes_.tell(id);
  return {};
}

Result<void> Mailbox::delete_folder(std::string_view path) {
  Pins::Removal removal(impl_->pins);
  MUHUR_TRY(const FolderId id, impl_->database->write([&](Connection& c) {
    return Folders(c, *impl_->clock).remove(path, removal);
  }));
  if (removal.left_some()) remove_leaving(impl_->pins, impl_->database);
  changes_.tell(0);
  changes_.tell(id);
  return {};
}

Result<void> Mailbox::set_subscribed(std::string_view path, bool subscribed) {
  MUHUR_CHECK(impl_->database->write(
      [&](Connection& c) { return Folders(c, *impl_->clock).set_subscribed(path, subscribed); }));
  changes_.tell(0);
  return {};
}

Result<std::vector<std::string>> Mailbox::subscriptions() {
  return impl_->database->read([&](Connection& c) { return Folders(c, *impl_->clock).subscriptions(); });
}

// ---- messages

Result<Appended> Mailbox::append(const AppendRequest& request) {
  MUHUR_TRY(const auto appended, append_all({&request, 1}));
  return appended.front();
}

Result<std::vector<Appended>> Mailbox::append_all(std::span<const AppendRequest> requests) {
  static auto& stored = metrics::counter("muhur_messages_appended_total", "Messages stored");
  std::vector<PreparedEmail> emails;
  emails.reserve(requests.size());
  for (const AppendRequest& request : requests)
    emails.push_back(prepare(request.message, impl_->hash_key.view(),
                             [&](const crypto::Digest& hash) { return impl_->has_attachment(hash); }));
  const std::int64_t now_s = impl_->clock->now_s();
  MUHUR_TRY(auto appended, impl_->database->write(
                               [&](Connection& c) { return Messages(c).append(requests, emails, now_s); }));
  std::set<FolderId> changed;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (appended[i].duplicate) continue;
    stored.add();
    changed.insert(requests[i].folder);
  }
  for (const FolderId folder : changed) changes_.tell(folder);
  return appended;
}

Result<Copied> Mailbox::copy(FolderId from, const UidSet& uids, FolderId to) {
  MUHUR_TRY(auto copied,
            impl_->database->write([&](Connection& c) { return Messages(c).copy(from, uids, to); }));
  if (!copied.uids.empty()) changes_.tell(to);
  return copied;
}

Result<Copied> Mailbox::move(FolderId from, const UidSet& uids, FolderId to) {
  const std::int64_t now_s = impl_->clock->now_s();
  MUHUR_TRY(auto moved,
            impl_->database->write([&](Connection& c) { return Messages(c).move(from, uids, to, now_s); }));
  if (moved.uids.empty()) return moved;
  changes_.tell(from);
  if (to != from) changes_.tell(to);
  return moved;
}

Result<Stored> Mailbox::store(FolderId folder, const UidSet& uids, FlagChange change, const Flags& flags,
                              std::optional<ModSeq> unchanged_since) {
  MUHUR_TRY(auto stored, impl_->database->write([&](Connection& c) {
    return Messages(c).store(folder, uids, change, flags, unchanged_since);
  }));
  if (!stored.changed.empty()) changes_.tell(folder);
  return stored;
}

Result<std::vector<Uid>> Mailbox::expunge(FolderId folder, const std::optional<UidSet>& uids) {
  const std::int64_t now_s = impl_->clock->now_s();
  Pins::Removal removal(impl_->pins);
  MUHUR_TRY(auto gone, impl_->database->write(
                           [&](Connection& c) { return Messages(c).expunge(folder, uids, now_s, removal); }));
  if (removal.left_some()) remove_leaving(impl_->pins, impl_->database);
  if (!gone.empty()) changes_.tell(folder);
  return gone;
}

Result<Delta> Mailbox::list(FolderId folder) {
  return impl_->database->read([&](Connection& c) -> Result<Delta> {
    Delta delta;
    MUHUR_TRY(delta.folder, Folders(c, *impl_->clock).find(folder));
    Rows rows(c);
    MUHUR_TRY(const auto all, rows.all(folder));
    MUHUR_TRY(delta.changed, rows.shown_all(all));
    return delta;
  });
}

Result<Overview> Mailbox::overview(FolderId folder) {
  return impl_->database->read([&](Connection& c) -> Result<Overview> {
    Overview overview;
    MUHUR_TRY(overview.folder, Folders(c, *impl_->clock).find(folder));
    MUHUR_TRY(auto uids, Rows(c).uids(folder));
    overview.uids = std::move(uids.all);
    overview.first_unseen = uids.first_unseen;
    MUHUR_TRY(overview.keywords, Keywords(c).of_folder(folder));
    return overview;
  });
}

Result<Delta> Mailbox::changes_since(FolderId folder, ModSeq since) {
  return impl_->database->read([&](Connection& c) -> Result<Delta> {
    Delta delta;
    MUHUR_TRY(delta.folder, Folders(c, *impl_->clock).find(folder));
    Rows rows(c);
    MUHUR_TRY(const auto changed, rows.changed_since(folder, since));
    MUHUR_TRY(delta.changed, rows.shown_all(changed));
    MUHUR_TRY(delta.expunged, rows.vanished_since(folder, since));
    return delta;
  });
}

Result<std::vector<Uid>> Mailbox::changed_since(FolderId folder, ModSeq since) {
  return impl_->database->read([&](Connection& c) -> Result<std::vector<Uid>> {
    MUHUR_TRY(const auto changed, Rows(c).changed_since(folder, since));
    std::vector<Uid> uids;
    for (const Row& row : changed) uids.push_back(row.uid);
    return uids;
  });
}

Result<std::vector<MessageRow>> Mailbox::rows(FolderId folder, const UidSet& uids) {
  return impl_->database->read([&](Connection& c) -> Result<std::vector<MessageRow>> {
    Rows rows(c);
    MUHUR_TRY(const auto some, rows.within(folder, uids));
    return rows.shown_all(some);
  });
}

Result<std::vector<std::string>> Mailbox::keywords(FolderId folder) {
  return impl_->database->read([&](Connection& c) { return Keywords(c).of_folder(folder); });
}

// ---- content

Result<std::shared_ptr<const mime::Structure>> Mailbox::structure(EmailId email) {
  {
    const Lock lock(impl_->mutex);
    if (const auto* cached = impl_->structures.get(email)) return *cached;
  }
  MUHUR_TRY(mime::Structure read,
            impl_->database->read([&](Connection& c) { return Emails(c).structure(email); }));
  auto structure = std::make_shared<const mime::Structure>(std::move(read));
  const Lock lock(impl_->mutex);
  impl_->structures.put(email, structure, weight_of(*structure));
  return structure;
}

Result<Content> Mailbox::content(EmailId email) {
  auto pin = std::make_unique<Pin>(impl_->pins, impl_->database, email);
  MUHUR_TRY(StoredContent stored,
            impl_->database->read([&](Connection& c) { return StoredContent::load(c, email); }));
  if (stored.is_at_hand(0, stored.size())) pin.reset();
  return Content(std::make_unique<Content::Impl>(impl_->database, std::move(pin), std::move(stored)));
}

Result<Search> Mailbox::begin_search(FolderId folder, const Criterion& criterion) {
  return mailbox::begin_search(impl_->database, folder, criterion);
}

Result<std::vector<Uid>> Mailbox::search(FolderId folder, const Criterion& criterion) {
  MUHUR_TRY(Search search, begin_search(folder, criterion));
  while (true) {
    MUHUR_TRY(const bool more, search.step(Millis(60'000)));
    if (!more) return search.take();
  }
}

// ---- the whole

Result<bool> Mailbox::tidy_due() {
  const std::int64_t now_s = impl_->clock->now_s();
  std::int64_t last = impl_->tidied_s;
  if (last < 0) {
    MUHUR_TRY(last, tidied_at(*impl_->database));
    impl_->tidied_s = last;
  }
  return now_s < last || now_s - last >= kTidyEvery.count() / 1000;
}

Result<void> Mailbox::tidy(std::vector<std::string> waiting) {
  const std::int64_t now_s = impl_->clock->now_s();
  remove_leaving(impl_->pins, impl_->database);
  MUHUR_CHECK(tidy_vanished(*impl_->database, now_s));
  MUHUR_CHECK(
      tidy_delivered(*impl_->database, now_s,
                     {std::make_move_iterator(waiting.begin()), std::make_move_iterator(waiting.end())}));
  MUHUR_CHECK(note_tidied(*impl_->database, now_s));
  impl_->tidied_s = now_s;
  return {};
}

Result<std::uint64_t> Mailbox::bytes_used() {
  MUHUR_TRY(const std::int64_t sum, impl_->database->read([](Connection& c) {
    return c.query_int("SELECT coalesce(sum(bytes), 0) FROM mailboxes");
  }));
  return static_cast<std::uint64_t>(sum);
}

Result<Bytes> Mailbox::sealing_private_half() {
  MUHUR_TRY(const Secret half,
            impl_->database->read([](Connection& c) { return stored_key(c, kSealingPrivate); }));
  return Bytes(half.view().begin(), half.view().end());
}

Result<Bytes> Mailbox::sealing_public_half() {
  MUHUR_TRY(const Secret half,
            impl_->database->read([](Connection& c) { return stored_key(c, kSealingPublic); }));
  return Bytes(half.view().begin(), half.view().end());
}

vault::Database& Mailbox::database() { return *impl_->database; }

}  // namespace muhur::mailbox
