// A mailbox goes through: opening -> open (in use or idle) -> closing -> gone. What others wait for (an
// opening, a closing) is announced by `changed`. Opening and closing happen without the lock.
//
// Users hold handles: shared_ptrs of their own whose end counts the users down. The Mailbox itself is held
// by the entry and by each handle, so that it also outlives this object while somebody uses it.
#include "mailbox/open_mailboxes.hpp"

#include <map>

#include "base/random.hpp"
#include "base/sync.hpp"
#include "crypto/mac.hpp"

namespace muhur::mailbox {
namespace {

using TimePoint = std::chrono::steady_clock::time_point;

struct Entry {
  std::shared_ptr<Mailbox> mailbox;  // null while it is opening or closing
  crypto::Digest key_mark{};
  std::size_t users = 0;
  bool forgotten = false;
  TimePoint idle_since;
};

// A name of a file in our directory and nothing else: never a path.
bool is_id(const std::string& id) {
  return !id.empty() && id.size() <= 128 &&
         std::ranges::all_of(id, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
}

struct State : std::enable_shared_from_this<State> {
  explicit State(OpenMailboxesOptions given) : options(std::move(given)) {}

  const OpenMailboxesOptions options;
  const Bytes mark_key = random_bytes(32);  // keys are compared by a keyed hash, which is no use elsewhere

  mutable Mutex mutex;
  Condition changed;
  std::map<std::string, Entry> entries MUHUR_GUARDED_BY(mutex);

  crypto::Digest mark(const vault::Key& key) const {
    return crypto::blake2b(key.exported().view(), mark_key);
  }

  // `uses`: its end begins the time that the mailbox is idle.
  std::shared_ptr<Mailbox> handle(const std::string& id, Entry& entry, bool uses = true)
      MUHUR_REQUIRES(mutex) {
    ++entry.users;
    return {entry.mailbox.get(),
            [state = weak_from_this(), id, held = entry.mailbox, uses](Mailbox*) mutable {
              const auto alive = state.lock();
              if (alive) alive->released(id, held, uses);
              held.reset();
            }};
  }

  Result<std::shared_ptr<Mailbox>> open(const std::string& id, const vault::Key& key, bool create) {
    const crypto::Digest wanted = mark(key);
    Lock lock(mutex);
    while (true) {
      const auto at = entries.find(id);
      if (at == entries.end()) break;
      if (at->second.mailbox) {
        if (!equal_constant_time(at->second.key_mark, wanted))
          return fail(Code::denied, "The mailbox does not open with this key");
        at->second.forgotten = false;
        return handle(id, at->second);
      }
      changed.wait(lock, [&]() MUHUR_NO_TSA {
        const auto now = entries.find(id);
        return now == entries.end() || now->second.mailbox;
      });
    }
    entries.emplace(id, Entry{});
    lock.unlock();
    auto opened = Mailbox::open({.path = options.directory / (id + ".db"),
                                 .key = &key,
                                 .create = create,
                                 .profile = options.profile,
                                 .executor = options.executor,
                                 .clock = options.clock});
    lock.lock();
    changed.notify_all();
    if (!opened) {
      entries.erase(id);
      return opened;
    }
    Entry& entry = entries[id];
    entry.mailbox = std::move(*opened);
    entry.key_mark = wanted;
    return handle(id, entry);
  }

  // `held` is let go of under the lock: the entry holds the mailbox too, so it never ends here, and once
  // the entry lets go as well nobody else has it.
  void released(const std::string& id, std::shared_ptr<Mailbox>& held, bool used) {
    std::vector<std::string> victims;
    {
      const Lock lock(mutex);
      const auto at = entries.find(id);
      if (at == entries.end() || at->second.mailbox != held) return;
      held.reset();
      Entry& entry = at->second;
      if (used) entry.idle_since = options.clock->steady();
      if (--entry.users > 0) return;
      if (entry.forgotten)
        victims.push_back(id);
      else
        victims = beyond_count();
    }
    // Closing writes the log back: it may block, and who lets go of a mailbox may not.
    for (std::string& victim : victims) {
      if (options.executor)
        options.executor([self = shared_from_this(), victim] { self->close(victim); });
      else
        close(victim);
    }
  }

  // The idle ones that are too many, longest idle first.
  std::vector<std::string> beyond_count() MUHUR_REQUIRES(mutex) {
    std::vector<std::pair<TimePoint, std::string>> idle;
    for (const auto& [id, entry] : entries)
      if (entry.mailbox && entry.users == 0) idle.emplace_back(entry.idle_since, id);
    if (idle.size() <= options.max_idle) return {};
    std::sort(idle.begin(), idle.end());
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < idle.size() - options.max_idle; ++i) ids.push_back(std::move(idle[i].second));
    return ids;
  }

  // Closes it here and now unless somebody took it meanwhile.
  void close(const std::string& id) {
    std::shared_ptr<Mailbox> closing;
    Lock lock(mutex);
    const auto at = entries.find(id);
    if (at == entries.end() || !at->second.mailbox || at->second.users > 0) return;
    closing = std::move(at->second.mailbox);
    at->second.mailbox = nullptr;  // whoever wants to open it waits until it is closed
    lock.unlock();
    closing.reset();
    lock.lock();
    entries.erase(id);
    changed.notify_all();
  }
};

}  // namespace

struct OpenMailboxes::Impl {
  std::shared_ptr<State> state;
};

OpenMailboxes::OpenMailboxes(OpenMailboxesOptions options)
    : impl_(std::make_unique<Impl>(std::make_shared<State>(std::move(options)))) {}

// Closes what nobody uses, here and now; what is in use is closed by its last user.
OpenMailboxes::~OpenMailboxes() {
  std::vector<std::shared_ptr<Mailbox>> closing;
  State& state = *impl_->state;
  Lock lock(state.mutex);
  for (auto& [id, entry] : state.entries)
    if (entry.mailbox) closing.push_back(std::exchange(entry.mailbox, nullptr));
  lock.unlock();
  closing.clear();
}

Result<std::shared_ptr<Mailbox>> OpenMailboxes::open(const std::string& id, const vault::Key& key,
                                                     bool create) {
  if (!is_id(id)) return fail(Code::invalid, "That is not the name of a mailbox file");
  return impl_->state->open(id, key, create);
}

std::shared_ptr<Mailbox> OpenMailboxes::find(const std::string& id) {
  State& state = *impl_->state;
  const Lock lock(state.mutex);
  const auto at = state.entries.find(id);
  if (at == state.entries.end() || !at->second.mailbox) return nullptr;
  return state.handle(id, at->second);
}

void OpenMailboxes::forget(const std::string& id) {
  State& state = *impl_->state;
  {
    const Lock lock(state.mutex);
    const auto at = state.entries.find(id);
    if (at == state.entries.end()) return;
    at->second.forgotten = true;
  }
  state.close(id);
}

std::vector<OpenMailboxes::Open> OpenMailboxes::all() {
  State& state = *impl_->state;
  std::vector<Open> open;
  const Lock lock(state.mutex);
  for (auto& [id, entry] : state.entries)
    if (entry.mailbox) open.push_back({id, nullptr, entry.users == 0});
  for (Open& one : open) one.mailbox = state.handle(one.id, state.entries[one.id], false);
  return open;
}

void OpenMailboxes::sweep() {
  State& state = *impl_->state;
  std::vector<std::string> ids;
  {
    const Lock lock(state.mutex);
    const auto limit = state.options.clock->steady() - state.options.max_idle_time;
    for (const auto& [id, entry] : state.entries)
      if (entry.mailbox && entry.users == 0 && entry.idle_since <= limit) ids.push_back(id);
  }
  for (const std::string& id : ids) state.close(id);
}

std::size_t OpenMailboxes::size() const {
  const Lock lock(impl_->state->mutex);
  std::size_t open = 0;
  for (const auto& [id, entry] : impl_->state->entries) open += entry.mailbox != nullptr;
  return open;
}

}  // namespace muhur::mailbox
