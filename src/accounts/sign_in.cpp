#include "accounts/sign_in.hpp"

#include "accounts/audit.hpp"
#include "accounts/key_wrap.hpp"
#include "accounts/network.hpp"
#include "accounts/quick_secret.hpp"
#include "accounts/record_cost.hpp"
#include "accounts/rows.hpp"
#include "accounts/sign_in_cost.hpp"
#include "base/log.hpp"
#include "base/lru.hpp"
#include "base/metrics.hpp"
#include "base/random.hpp"
#include "base/sync.hpp"
#include "base/unicode.hpp"
#include "passwords/rules.hpp"

namespace muhur::accounts {
namespace {

constexpr std::int64_t kUseExactTo = 3'600'000;  // last_used_ms and repeated audit rows: once an hour
constexpr std::size_t kRecentSuccesses = 4096;
constexpr std::size_t kLongestPeer = 100;
constexpr std::size_t kLongestAccount = 1024;
constexpr std::string_view kWrongPassword = "the address or the password is wrong";

struct Row {
  std::int64_t id;
  CredentialKind kind;
  std::string record;
  Bytes wrap;
  std::int64_t last_used_ms;
};

struct Loaded {
  std::optional<User> user;
  std::vector<Row> rows;
};

// A credential that was proved, with the key to its wrap.
struct Proof {
  const Row* row;
  Secret kek;
};

// The same two queries for an address that nobody has.
Result<Loaded> load(vault::Connection& c, std::string_view canonical) {
  Loaded loaded;
  if (auto user = find_user(c, canonical))
    loaded.user = std::move(*user);
  else if (user.error().code != Code::not_found)
    return std::unexpected(std::move(user).error());
  MUHUR_TRY(auto st,
            c.prepare("SELECT id, kind, record, wrap, last_used_ms FROM credentials WHERE user_id = ?"));
  st.bind(loaded.user ? loaded.user->id : UserId{0});
  while (true) {
    MUHUR_TRY(const bool more, st.step());
    if (!more) return loaded;
    const ByteView wrap = st.blob(3);
    loaded.rows.push_back({st.int64(0), st.as<CredentialKind>(1), std::string(st.text(2)),
                           Bytes(wrap.begin(), wrap.end()), st.int64(4)});
  }
}

// What counters and made-up records are named by. What is no address still counts, under itself.
std::string account_of(std::string_view address) {
  auto canonical = canonical_address(address);
  return canonical ? std::move(*canonical) : "?" + fold_case(address.substr(0, kLongestAccount));
}

const Row* row_of(const Loaded& loaded, CredentialKind kind) {
  for (const Row& row : loaded.rows)
    if (row.kind == kind) return &row;
  return nullptr;
}

passwords::Record record_of(const MadeUpRecord& made_up) {
  return record_of_nobody(made_up.cost, made_up.salt);
}

void report_damage(const Row& row) {
  log::error("accounts", "a credential's record is damaged", {{"credential", row.id}});
}

// Tries `rounds` records whether there are so many or not: how many a user has takes no time of its own.
std::optional<Proof> prove_quick(CredentialKind kind, const Loaded& loaded, const Secret& bytes,
                                 std::size_t rounds) {
  std::vector<const Row*> rows;
  for (const Row& row : loaded.rows)
    if (row.kind == kind) rows.push_back(&row);
  static const QuickRecord made_up{random_bytes(16), random_bytes(32)};
  std::optional<Proof> proof;
  for (std::size_t i = 0; i < std::max(rounds, rows.size()); ++i) {
    const Row* row = i < rows.size() ? rows[i] : nullptr;
    auto record = row != nullptr ? parse_quick(row->record) : Result<QuickRecord>(made_up);
    if (!record) {
      report_damage(*row);
      continue;
    }
    passwords::Derived derived = derive_quick(kind, bytes, record->salt);
    if (equal_constant_time(derived.verifier, record->verifier) && row != nullptr)
      proof = Proof{row, std::move(derived.kek)};
  }
  return proof;
}

}  // namespace

struct SignIn::Impl {
  Directory& directory;
  const crypto::Argon2Cost cost;
  Lockout lockout;
  Audit audit;
  SignInCost made_up;
  const bool upgrades;
  std::unique_ptr<FirstSignIn> first;  // null: nobody makes mailboxes
  Mutex mutex;
  Lru<std::string, std::int64_t> recent MUHUR_GUARDED_BY(mutex){kRecentSuccesses, SIZE_MAX};

  Impl(Directory& d, crypto::Argon2Cost c, LockoutLimits limits, bool upgrade)
      : directory(d), cost(c), lockout(d, limits), audit(d), made_up(d, c), upgrades(upgrade) {}

  Result<Loaded> load_account(const std::string& account) {
    return directory.database().read([&](vault::Connection& c) { return load(c, account); });
  }

  std::unexpected<Error> refuse(Lockout::Attempt& attempt, const Loaded& loaded, std::string_view peer,
                                std::string_view what) {
    static auto& denied = metrics::counter("muhur_sign_ins_total", "Sign-ins by result", "result=\"denied\"");
    denied.add();
    attempt.wrong();
    AuditEvent event{.actor = "user", .action = "sign-in", .outcome = "denied"};
    event.peer = peer.substr(0, kLongestPeer);
    if (loaded.user) event.user = loaded.user->id;
    log::info("accounts", "sign-in refused",
              {{"user", loaded.user ? std::to_string(loaded.user->id) : "unknown"}, {"peer", event.peer}});
    audit.record(std::move(event));
    return fail(Code::denied, std::string(what));
  }

  Result<SignedIn> accept(Lockout::Attempt& attempt, Loaded& loaded, const Proof& proof,
                          std::string_view peer) {
    User& user = *loaded.user;
    auto dek = key_behind(proof, user);
    if (!dek) {
      log::error("accounts", "a credential is right but its wrapped key does not open",
                 {{"user", user.id}, {"credential", proof.row->id}});
      return fail(Code::corrupt, "the stored key of this mailbox is damaged",
                  "Sign in with the recovery key, then set the password again");
    }
    static auto& ok = metrics::counter("muhur_sign_ins_total", "Sign-ins by result", "result=\"ok\"");
    ok.add();
    attempt.succeeded(proof.row->kind != CredentialKind::app_password);
    note_use(*proof.row);
    record_success(user, proof.row->kind, peer);
    return SignedIn{std::move(user), std::move(*dek), proof.row->kind};
  }

  // Without a wrap there is no mailbox: nothing to open.
  static Result<Secret> key_behind(const Proof& proof, const User& user) {
    if (proof.row->wrap.empty()) return Secret();
    return unwrap_dek(proof.kek, proof.row->wrap, wrap_purpose(proof.row->kind), user.id, user.mailbox_id);
  }

  void note_use(const Row& row) {
    const std::int64_t now = directory.clock().now_ms();
    if (now - row.last_used_ms < kUseExactTo) return;
    directory.database().write_async(
        [now, id = row.id](vault::Connection& c) {
          return c.run("UPDATE credentials SET last_used_ms = ? WHERE id = ?", now, id);
        },
        [](const Result<void>&) {});  // a missed mark is made up for at the next use
  }

  // Mail clients sign in again and again: the same from the same place is one row an hour.
  void record_success(const User& user, CredentialKind how, std::string_view peer) {
    const std::int64_t now = directory.clock().now_ms();
    {
      const std::string what =
          std::to_string(user.id) + '/' + std::to_string(static_cast<int>(how)) + '/' + network_of(peer).name;
      const Lock lock(mutex);
      const std::int64_t* last = recent.get(what);
      if (last != nullptr && now - *last < kUseExactTo) return;
      recent.put(what, now);
    }
    static constexpr std::string_view kHow[] = {"", "password", "recovery key", "app password"};
    audit.record({.user = user.id,
                  .actor = "user",
                  .action = "sign-in",
                  .peer = std::string(peer.substr(0, kLongestPeer)),
                  .detail = std::string(kHow[static_cast<std::size_t>(how)])});
  }

  // The record anew at the configured cost, unless it was changed meanwhile.
  Result<void> upgrade(const SignedIn& in, const Row& row, const passwords::NewRecord& made) {
    const auto& [record, kek] = made;
    const std::string text = passwords::to_text(record);
    Bytes wrap;
    if (!in.dek.empty())
      wrap = wrap_dek(kek, in.dek, wrap_purpose(CredentialKind::password), in.user.id, in.user.mailbox_id);
    return directory.database().write([&](vault::Connection& c) {
      return c.run(
          "UPDATE credentials SET record = ?, wrap = ?, memory_kib = ?, passes = ? "
          "WHERE id = ? AND record = ?",
          text, wrap, record.cost.memory_kib, record.cost.passes, row.id, row.record);
    });
  }
};

struct SignIn::Started::State {
  Secret password;
  std::string peer;
  Lockout::Attempt attempt;
  Loaded loaded;
  passwords::Record record;
  const Row* row = nullptr;  // in `loaded`; null: the record is made up
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
};

SignIn::Started::Started(std::unique_ptr<State> state) : state_(std::move(state)) {}
SignIn::Started::Started(Started&&) noexcept = default;
SignIn::Started::~Started() = default;
const Secret& SignIn::Started::password() const { return state_->password; }
const passwords::Record& SignIn::Started::record() const { return state_->record; }

SignIn::SignIn(Directory& directory, crypto::Argon2Cost cost, LockoutLimits limits, bool upgrade)
    : impl_(std::make_unique<Impl>(directory, cost, limits, upgrade)) {}
SignIn::~SignIn() = default;

Result<SignIn::Started> SignIn::prepare(std::string_view address, ByteView password, std::string_view peer) {
  // What can be nobody's password is refused unhashed: that depends on the input alone.
  auto normal = passwords::normalize(password);
  if (!normal) return fail(Code::denied, std::string(kWrongPassword));
  const std::string account = account_of(address);
  MUHUR_TRY(Lockout::Attempt attempt, impl_->lockout.admit(account, peer));
  return load_record(account, std::move(*normal), peer, std::move(attempt));
}

Result<std::optional<SignIn::Started>> SignIn::try_prepare(std::string_view address, ByteView password,
                                                           std::string_view peer,
                                                           std::function<void()> again) {
  auto normal = passwords::normalize(password);
  if (!normal) return fail(Code::denied, std::string(kWrongPassword));
  const std::string account = account_of(address);
  MUHUR_TRY(auto attempt, impl_->lockout.try_admit(account, peer, std::move(again)));
  if (!attempt) return std::optional<Started>();
  MUHUR_TRY(auto started, load_record(account, std::move(*normal), peer, std::move(*attempt)));
  return std::optional<Started>(std::move(started));
}

// What is stored for the account, or what is made up where nothing is.
Result<SignIn::Started> SignIn::load_record(const std::string& account, Secret password,
                                            std::string_view peer, Lockout::Attempt attempt) {
  impl_->made_up.refresh();
  MUHUR_TRY(Loaded loaded, impl_->load_account(account));
  auto state =
      std::make_unique<Started::State>(Started::State{.password = std::move(password),
                                                      .peer = std::string(peer.substr(0, kLongestPeer)),
                                                      .attempt = std::move(attempt),
                                                      .loaded = std::move(loaded),
                                                      .record = record_of(impl_->made_up.made_up(account))});
  if (const Row* row = row_of(state->loaded, CredentialKind::password)) {
    if (auto stored = passwords::parse_record(row->record)) {
      state->record = std::move(*stored);
      state->row = row;
    } else {
      report_damage(*row);
    }
  }
  return Started(std::move(state));
}

Result<SignedIn> SignIn::conclude(Started& started, const passwords::Verdict& verdict) {
  static auto& seconds = metrics::histogram("muhur_sign_in_seconds", "Verifying one password");
  auto& [password, peer, attempt, loaded, record, row, begun] = *started.state_;
  std::optional<Proof> proof;
  if (const auto bytes = read_secret(CredentialKind::app_password, password.text()))
    proof = prove_quick(CredentialKind::app_password, loaded, *bytes, kMostAppPasswords);
  if (verdict.right && row != nullptr) proof = Proof{row, verdict.kek.copy()};
  seconds.observe(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
  if (!proof || loaded.user->disabled) return impl_->refuse(attempt, loaded, peer, kWrongPassword);
  return impl_->accept(attempt, loaded, *proof, peer);
}

void SignIn::make_mailboxes_with(MakeMailbox make) {
  impl_->first = std::make_unique<FirstSignIn>(impl_->directory, std::move(make));
}

bool SignIn::wants_mailbox(const SignedIn& in) const {
  return impl_->first && in.user.mailbox == MailboxState::at_first_sign_in &&
         in.how == CredentialKind::password;
}

Result<SignedIn> SignIn::finish_first(const Started& started, SignedIn in,
                                      const passwords::NewRecord& record) {
  const auto& state = *started.state_;
  auto ready =
      impl_->first->finish({in.user, state.row->id, state.row->record}, state.password, record, state.peer);
  if (!ready) {
    if (ready.error().code == Code::denied) return fail(Code::denied, std::string(kWrongPassword));
    log::error("accounts", "the mailbox of a first sign-in could not be made",
               {{"user", in.user.id}, {"error", ready.error().text()}});
    return std::unexpected(std::move(ready).error());
  }
  return SignedIn{std::move(ready->user), std::move(ready->dek), in.how};
}

bool SignIn::wants_upgrade(const Started& started, const SignedIn& in) const {
  if (!impl_->upgrades || in.how != CredentialKind::password || wants_mailbox(in)) return false;
  const auto* own = std::get_if<passwords::Argon2Record>(&started.state_->record);
  return own == nullptr || own->cost != impl_->cost;
}

crypto::Argon2Cost SignIn::cost() const { return impl_->cost; }

void SignIn::finish_upgrade(const Started& started, const SignedIn& in,
                            const Result<passwords::NewRecord>& record) {
  const auto done = record ? impl_->upgrade(in, *started.state_->row, *record)
                           : Result<void>(std::unexpected(record.error()));
  if (!done)
    log::warn("accounts", "a password's record could not be made anew",
              {{"user", in.user.id}, {"error", done.error().text()}});
}

Result<SignedIn> SignIn::with_password(std::string_view address, ByteView password, std::string_view peer) {
  MUHUR_TRY(Started started, prepare(address, password, peer));
  MUHUR_TRY(const auto verdict, passwords::verify_one(started.password(), started.record()));
  MUHUR_TRY(SignedIn in, conclude(started, verdict));
  if (wants_mailbox(in)) {
    MUHUR_TRY(const auto record, passwords::new_record(started.password(), impl_->cost));
    return finish_first(started, std::move(in), record);
  }
  if (wants_upgrade(started, in))
    finish_upgrade(started, in, passwords::new_record(started.password(), impl_->cost));
  return in;
}

Result<SignedIn> SignIn::with_recovery_key(std::string_view address, std::string_view recovery_key,
                                           std::string_view peer) {
  constexpr std::string_view kRefusal = "the address or the recovery key is wrong";
  const auto bytes = read_secret(CredentialKind::recovery_key, recovery_key);
  if (!bytes)
    return fail(Code::denied, std::string(kRefusal), "It has 32 letters and digits in groups of four");
  const std::string account = account_of(address);
  MUHUR_TRY(Lockout::Attempt attempt, impl_->lockout.admit("recovery " + account, peer));
  MUHUR_TRY(Loaded loaded, impl_->load_account(account));
  const auto proof = prove_quick(CredentialKind::recovery_key, loaded, *bytes, 1);
  if (!proof || loaded.user->disabled) return impl_->refuse(attempt, loaded, peer, kRefusal);
  return impl_->accept(attempt, loaded, *proof, peer);
}

}  // namespace muhur::accounts
