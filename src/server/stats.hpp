#pragma once
// Figures of the open databases, one by one and summed: as JSON for `muhur stats`, as gauges for /metrics.
// Numbers and constant SQL text only, nothing of what is stored.

#include <boost/json/object.hpp>
#include <span>

#include "server/databases.hpp"
#include "vault/statistics.hpp"

namespace muhur::server {

// {"databases":[{"name","page_count","page_size","freelist_count","fragmentation_percent","size_mb",
//   "file_bytes","wal_bytes","checkpoint":{"at","complete","frames","moved"},
//   "writer":{"works","commits","failures","busy_waits"},"longest_read_ms",
//   "slow":[{"sql","runs","worst_ms","total_ms","full_scan_steps","sorts","plan":[…]}]}],
//  "total":{… without name and slow},"cipher":{"pages_encrypted",…},"house_kept_at",
//  "passwords":{"pool":{"threads","waiting","running","done","refused","batches"},
//               "workers":[{"url","healthy","outstanding","done","failed","p50_ms","p95_ms"}]}}
// passwords: null without a server.
Result<boost::json::object> statistics(mail::PostOffice& office, const boost::json::object& request);

// Into base/metrics, by kind of database.
using KindFigures = std::pair<OpenDatabase::Kind, vault::DatabaseFigures>;
void export_figures(std::span<const KindFigures> figures);

}  // namespace muhur::server
