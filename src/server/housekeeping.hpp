#pragma once
// Keeping house: what databases need from time to time so that they stay small and quick. The scheduler calls
// often() and daily_if_due(); `muhur maintain` calls maintain(). Each runs on a thread that may block for
// long (net::Pools::heavy). A database is open in one process only (vault/lock_file.hpp), so no two keep one
// house.
//
//   often   checkpoints beside the writer; empties the WAL of who is idle or has more than kWalCap of
//           it; gives free pages of idle ones back, kReclaimPages a time; shares out memory among page
//           caches; figures into metrics; has each open mailbox forget what is past its time, once a day
//   daily   statistics for the planner; a full VACUUM where more than a quarter is free (and twice the
//           size is free on the disk); forgets old audit rows

#include <atomic>
#include <boost/json/object.hpp>
#include <map>
#include <string>

#include "base/clock.hpp"
#include "base/sync.hpp"
#include "mail/post_office.hpp"
#include "server/databases.hpp"
#include "vault/statistics.hpp"

namespace muhur::server {

inline constexpr Millis kHouseOften{15'000};
inline constexpr Millis kHouseDaily{24LL * 3600 * 1000};
inline constexpr Millis kHouseLooks{600'000};  // how often it is looked whether daily() is due
inline constexpr std::uint64_t kWalCap = 64ULL << 20;
inline constexpr std::uint32_t kReclaimPages = 256;
inline constexpr Millis kAuditKept{400LL * 24 * 3600 * 1000};  // unless keep_audit_for() said otherwise
// How long audit rows are kept, from now on, in this process. Thread-safe.
void keep_audit_for(Millis time);

class Housekeeping {
 public:
  explicit Housekeeping(mail::PostOffice& office) : office_(office) {}
  // Any thread; one waits for the other. What fails is logged.
  void often();
  void daily_if_due();  // the directory remembers when it was last done
  // Both end after the database they are at.
  void stop() { stopping_ = true; }

 private:
  void daily();
  struct Seen {
    std::uint64_t works = 0;  // of the writer, when we last looked
    std::int64_t cache_kib = 0;
    bool settled = false;  // nothing is left to do until somebody writes
    vault::DatabaseFigures figures;
  };
  void look_after(const OpenDatabase& one, bool quiet, std::int64_t cache_kib, Seen& seen);
  mail::PostOffice& office_;
  std::atomic<bool> stopping_ = false;
  Mutex working_;
  std::map<std::string, Seen> seen_ MUHUR_GUARDED_BY(working_);  // by name
};

// All of it now, on every open database: {"databases":[{"name","checkpoint":{…},"pages_reclaimed",
// "tables_analyzed","vacuum":{…}} or {"name","error"}],"audit_rows_forgotten"}. request["now"] true: gives
// every free page back, and not only kReclaimPages of them.
Result<boost::json::object> maintain(mail::PostOffice& office, const boost::json::object& request);

// When often() last ended, milliseconds since 1970; 0: never in this process.
std::int64_t house_kept_at();

}  // namespace muhur::server
