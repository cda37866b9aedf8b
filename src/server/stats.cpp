#include "server/stats.hpp"

#include <boost/json/array.hpp>
#include <cmath>

#include "base/metrics.hpp"
#include "server/housekeeping.hpp"
#include "server/operations.hpp"
#include "vault/vfs.hpp"

namespace muhur::server {
namespace json = boost::json;
namespace {

constexpr std::size_t kSlowest = 5;

double rounded(double value) { return std::round(value * 100) / 100; }
double milliseconds(std::chrono::microseconds time) { return static_cast<double>(time.count()) / 1000; }

json::object shown(const vault::DatabaseFigures& figures) {
  const auto& [path, file, writer, checkpoint] = figures;
  return {{"page_count", file.page_count},
          {"page_size", file.page_size},
          {"freelist_count", file.freelist_count},
          {"fragmentation_percent", rounded(file.fragmentation())},
          {"size_mb", rounded(file.size_mib())},
          {"file_bytes", file.file_bytes},
          {"wal_bytes", file.wal_bytes},
          {"checkpoint",
           {{"at", checkpoint.at_ms ? json::value(format_time(checkpoint.at_ms)) : json::value(nullptr)},
            {"complete", checkpoint.complete},
            {"frames", checkpoint.frames},
            {"moved", checkpoint.moved}}},
          {"writer",
           {{"works", writer.works},
            {"commits", writer.commits},
            {"failures", writer.failures},
            {"busy_waits", writer.busy_waits}}}};
}

Result<json::array> slow_statements(vault::Database& database) {
  MUHUR_TRY(const auto plans, vault::slowest(database, kSlowest));
  json::array all;
  for (const auto& [statement, steps] : plans)
    all.push_back({{"sql", statement.sql},
                   {"runs", statement.runs},
                   {"worst_ms", milliseconds(statement.worst)},
                   {"total_ms", milliseconds(statement.total)},
                   {"full_scan_steps", statement.full_scan_steps},
                   {"sorts", statement.sorts},
                   {"plan", json::array(steps.begin(), steps.end())}});
  return all;
}

json::value shown(passwords::Verifier* verifier) {
  if (!verifier) return nullptr;
  const auto pool = verifier->local().figures();
  json::array workers;
  for (const auto& worker : verifier->workers())
    workers.push_back({{"url", worker.url},
                       {"healthy", worker.healthy},
                       {"outstanding", worker.outstanding},
                       {"done", worker.done},
                       {"failed", worker.failed},
                       {"p50_ms", rounded(worker.p50_ms)},
                       {"p95_ms", rounded(worker.p95_ms)}});
  return json::object{{"pool",
                       {{"threads", verifier->local().threads()},
                        {"waiting", pool.waiting},
                        {"running", pool.running},
                        {"done", pool.done},
                        {"refused", pool.refused},
                        {"batches", pool.batches}}},
                      {"workers", std::move(workers)}};
}

std::string_view label_of(OpenDatabase::Kind kind) {
  switch (kind) {
    case OpenDatabase::Kind::directory:
      return R"(database="directory")";
    case OpenDatabase::Kind::spool:
      return R"(database="spool")";
    case OpenDatabase::Kind::other:
      return R"(database="other")";
    case OpenDatabase::Kind::mailbox:
      return R"(database="mailboxes")";
  }
  return R"(database="other")";
}

void export_sum(OpenDatabase::Kind kind, std::size_t count, const vault::DatabaseFigures& sum) {
  const auto set = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    metrics::gauge(name, help, label_of(kind)).set(static_cast<std::int64_t>(value));
  };
  set("muhur_database_open", "Databases that are open", count);
  set("muhur_database_pages", "Pages of the open databases", sum.file.page_count);
  set("muhur_database_page_bytes", "The largest page size", sum.file.page_size);
  set("muhur_database_free_pages", "Pages that hold nothing", sum.file.freelist_count);
  set("muhur_database_fragmentation_percent", "Share of pages that hold nothing",
      static_cast<std::uint64_t>(sum.file.fragmentation()));
  set("muhur_database_bytes", "Size of the database files", sum.file.file_bytes);
  set("muhur_database_wal_bytes", "Size of the write-ahead logs", sum.file.wal_bytes);
  set("muhur_database_commits", "Transactions since the databases were opened", sum.writer.commits);
  set("muhur_database_writes", "Writes in those transactions", sum.writer.works);
  set("muhur_database_write_failures", "Writes that failed", sum.writer.failures);
  set("muhur_database_busy_waits", "Transactions that waited for a lock", sum.writer.busy_waits);
}

void export_cipher() {
  const auto set = [](std::string_view name, std::string_view help, std::uint64_t value) {
    metrics::gauge(name, help).set(static_cast<std::int64_t>(value));
  };
  const auto figures = vault::cipher_figures();
  set("muhur_vault_pages_encrypted", "Pages encrypted since the start", figures.pages_encrypted);
  set("muhur_vault_pages_decrypted", "Pages decrypted since the start", figures.pages_decrypted);
  set("muhur_vault_bad_tags", "Pages that did not verify", figures.bad_tags);
  set("muhur_vault_wal_frames", "Frames written to write-ahead logs", figures.wal_frames);
  set("muhur_vault_temp_blocks", "Blocks written to temporary files", figures.temp_blocks);
}

}  // namespace

Result<json::object> statistics(mail::PostOffice& office, const json::object&) {
  json::array all;
  std::vector<vault::DatabaseFigures> parts;
  Millis longest{0};
  for (const OpenDatabase& one : open_databases(office)) {
    MUHUR_TRY(auto figures, vault::figures_of(*one.database));
    json::object entry = shown(figures);
    entry["name"] = one.name;
    entry["longest_read_ms"] = one.database->longest_read().count();
    MUHUR_TRY(entry["slow"], slow_statements(*one.database));
    longest = std::max(longest, one.database->longest_read());
    all.push_back(std::move(entry));
    parts.push_back(std::move(figures));
  }
  json::object total = shown(vault::sum(parts));
  total["longest_read_ms"] = longest.count();
  const auto cipher = vault::cipher_figures();
  const std::int64_t kept = house_kept_at();
  return json::object{{"databases", std::move(all)},
                      {"total", std::move(total)},
                      {"cipher",
                       {{"pages_encrypted", cipher.pages_encrypted},
                        {"pages_decrypted", cipher.pages_decrypted},
                        {"bad_tags", cipher.bad_tags},
                        {"wal_frames", cipher.wal_frames},
                        {"temp_blocks", cipher.temp_blocks}}},
                      {"passwords", shown(office.options().verifier)},
                      {"house_kept_at", kept ? json::value(format_time(kept)) : json::value(nullptr)}};
}

void export_figures(std::span<const KindFigures> figures) {
  using Kind = OpenDatabase::Kind;
  for (const Kind kind : {Kind::directory, Kind::spool, Kind::other, Kind::mailbox}) {
    std::vector<vault::DatabaseFigures> parts;
    for (const auto& [of, one] : figures)
      if (of == kind) parts.push_back(one);
    export_sum(kind, parts.size(), vault::sum(parts));
  }
  export_cipher();
}

}  // namespace muhur::server
