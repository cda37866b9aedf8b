#pragma once
// Whether the stored data is sound and the installation fit to keep it so: the deployment checklist and the
// troubleshooting of docs/operations.md as checks, each with a verdict and a remedy.

#include <boost/json/object.hpp>

#include "mail/post_office.hpp"
#include "server/config.hpp"
#include "server/doctor_check.hpp"

namespace muhur::server {

// What is seen from inside the process that has the data open: integrity of directory.db, of spool.db and,
// for each of request["users"] ({"address","password"}), of that user's mailbox (also that no folder holds a
// UID twice or one it has not given out yet); room on the disk, size of the WALs, long readers, slow
// statements, last backup, cipher, temp directory, locked memory, clock. Reply: {"checks":[…],"sound":bool};
// unsound is a failure, not a warning. Blocks.
Result<boost::json::object> check_health(mail::PostOffice& office, const boost::json::object& request);

// What is seen from the configuration: permissions, certificate, ports. `serving`: a server runs on this
// data.
Checks check_installation(const Config& config, bool serving);

// The parts of check_health; each in a file of its own, doctor_*.cpp.
Checks check_integrity(mail::PostOffice& office, const boost::json::object& request);
Checks check_storage(mail::PostOffice& office);
Checks check_process(const std::filesystem::path& data);

}  // namespace muhur::server
