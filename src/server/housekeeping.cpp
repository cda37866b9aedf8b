#include "server/housekeeping.hpp"

#include <atomic>
#include <boost/json/array.hpp>

#include "accounts/audit.hpp"
#include "base/log.hpp"
#include "base/metrics.hpp"
#include "server/memory.hpp"
#include "server/stats.hpp"
#include "vault/maintenance.hpp"

namespace muhur::server {
namespace json = boost::json;
namespace {

constexpr double kVacuumAbove = 25.0;
constexpr Millis kReaderIdle{60'000};
constexpr std::size_t kConnections = 3;  // of a database in use: a writer and two readers

std::atomic<std::int64_t>& kept_at() {
  static std::atomic<std::int64_t> at{0};
  return at;
}

std::atomic<std::int64_t>& audit_kept() {
  static std::atomic<std::int64_t> time{kAuditKept.count()};
  return time;
}

void complain(const OpenDatabase& open, std::string_view chore, const Error& error) {
  log::warn("house", "a chore failed", {{"chore", chore}, {"database", open.name}, {"why", error.text()}});
}

void count_checkpoint(const Result<vault::Checkpointed>& done) {
  static constexpr auto kName = "muhur_checkpoints_total";
  static constexpr auto kHelp = "Checkpoints by the housekeeping";
  static auto& complete = metrics::counter(kName, kHelp, R"(result="complete")");
  static auto& partial = metrics::counter(kName, kHelp, R"(result="partial")");
  static auto& failed = metrics::counter(kName, kHelp, R"(result="failed")");
  (!done ? failed : done->complete ? complete : partial).add();
}

Result<std::int64_t> forget_old_audit(mail::PostOffice& office) {
  auto& directory = office.directory();
  return accounts::Audit(directory).prune(directory.clock().now_ms() - audit_kept().load());
}

Result<json::object> do_all(vault::Database& database, bool to_the_end) {
  json::object done;
  MUHUR_TRY(const auto optimized, vault::optimize(database));
  done["tables_analyzed"] = optimized.tables_analyzed;
  MUHUR_TRY(const auto vacuumed, vault::vacuum(database, kVacuumAbove));
  done["vacuum"] = json::object{{"done", vacuumed.done},
                                {"why_not", vacuumed.why_not},
                                {"bytes_before", vacuumed.bytes_before},
                                {"bytes_after", vacuumed.bytes_after}};
  std::uint64_t freed = 0;
  while (true) {
    MUHUR_TRY(const auto step, vault::reclaim(database, kReclaimPages));
    freed += step.pages_freed;
    if (!to_the_end || step.pages_freed == 0 || step.pages_left == 0) break;
  }
  done["pages_reclaimed"] = freed;
  const auto moved = vault::checkpoint(database, true, kWalCap);
  count_checkpoint(moved);
  if (!moved) return std::unexpected(moved.error());
  done["checkpoint"] = json::object{{"complete", moved->complete},
                                    {"frames", moved->frames},
                                    {"moved", moved->moved},
                                    {"wal_bytes_after", moved->wal_bytes_after}};
  return done;
}

}  // namespace

void Housekeeping::often() {
  const Lock lock(working_);
  const auto open = open_databases(office_);
  const std::int64_t share = cache_share_kib(machine_memory(), open.size() * kConnections);
  std::map<std::string, Seen> seen;
  std::vector<KindFigures> figures;
  for (const OpenDatabase& one : open) {
    if (stopping_) return;
    Seen now = std::move(seen_[one.name]);
    const bool quiet = now.works == one.database->figures().works;
    if (!quiet || !now.settled) look_after(one, quiet, share, now);
    figures.emplace_back(one.kind, now.figures);
    one.database->close_idle_readers(kReaderIdle);
    seen[one.name] = std::move(now);
  }
  office_.tidy(stopping_);
  seen_ = std::move(seen);
  export_figures(figures);
  kept_at() = office_.directory().clock().now_ms();
}

void Housekeeping::look_after(const OpenDatabase& one, bool quiet, std::int64_t cache_kib, Seen& seen) {
  vault::Database& database = *one.database;
  const bool idle = quiet && (one.idle || one.kind != OpenDatabase::Kind::mailbox);
  if (seen.cache_kib != cache_kib) {
    if (const auto set = database.set_cache_kib(cache_kib); !set) complain(one, "cache", set.error());
    seen.cache_kib = cache_kib;
  }
  seen.settled = idle;
  if (idle) {
    const auto step = vault::reclaim(database, kReclaimPages);
    if (!step) complain(one, "reclaim", step.error());
    seen.settled = step && step->pages_freed == 0;
  }
  const auto moved = vault::checkpoint(database, idle, kWalCap);
  count_checkpoint(moved);
  if (!moved) complain(one, "checkpoint", moved.error());
  seen.settled = seen.settled && moved && moved->wal_bytes_after == 0;
  if (auto figures = vault::figures_of(database))
    seen.figures = std::move(*figures);
  else
    complain(one, "figures", figures.error());
  seen.works = database.figures().works;  // what we did ourselves is no use of it
}

void Housekeeping::daily_if_due() {
  constexpr std::string_view kSetting = "house-kept-daily-ms";
  const Lock lock(working_);
  auto& directory = office_.directory();
  const std::int64_t now = directory.clock().now_ms();
  const auto last = directory.setting(kSetting);
  if (!last) return log::warn("house", "the last time is unknown", {{"why", last.error().text()}});
  const bool known = last->has_value() && (*last)->size() == sizeof(std::uint64_t);
  const auto at = known ? static_cast<std::int64_t>(load_be64((*last)->data())) : 0;
  if (at <= now && now - at < kHouseDaily.count()) return;
  daily();
  Bytes stored(sizeof(std::uint64_t));
  store_be64(stored.data(), static_cast<std::uint64_t>(now));
  if (const auto set = directory.set_setting(kSetting, stored); !set)
    log::warn("house", "the time cannot be noted", {{"why", set.error().text()}});
}

void Housekeeping::daily() {
  for (const OpenDatabase& one : open_databases(office_)) {
    if (stopping_) return;
    if (const auto done = vault::optimize(*one.database); !done) complain(one, "optimize", done.error());
    const auto done = vault::vacuum(*one.database, kVacuumAbove);
    if (!done)
      complain(one, "vacuum", done.error());
    else if (done->done)
      log::info("house", "vacuumed",
                {{"database", one.name}, {"before", done->bytes_before}, {"after", done->bytes_after}});
  }
  if (const auto forgotten = forget_old_audit(office_); !forgotten)
    log::warn("house", "old audit rows stay", {{"why", forgotten.error().text()}});
}

Result<json::object> maintain(mail::PostOffice& office, const json::object& request) {
  const auto* now = request.if_contains("now");
  const bool to_the_end = now && now->is_bool() && now->get_bool();
  json::array all;
  for (const OpenDatabase& one : open_databases(office)) {
    auto done = do_all(*one.database, to_the_end);
    json::object shown = done ? std::move(*done) : json::object{{"error", done.error().text()}};
    shown["name"] = one.name;
    all.push_back(std::move(shown));
  }
  MUHUR_TRY(const std::int64_t forgotten, forget_old_audit(office));
  return json::object{{"databases", std::move(all)}, {"audit_rows_forgotten", forgotten}};
}

void keep_audit_for(Millis time) { audit_kept() = time.count(); }

std::int64_t house_kept_at() { return kept_at(); }

}  // namespace muhur::server
