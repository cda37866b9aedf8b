#include "server/databases.hpp"

#include "base/sync.hpp"

namespace muhur::server {
namespace {

struct Announced {
  std::string name;
  std::weak_ptr<vault::Database> database;
};
struct Register {
  Mutex mutex;
  std::vector<Announced> all MUHUR_GUARDED_BY(mutex);
};
Register& others() {
  static auto* const one = new Register;
  return *one;
}

}  // namespace

void announce_database(std::string name, std::weak_ptr<vault::Database> database) {
  const Lock lock(others().mutex);
  others().all.push_back({std::move(name), std::move(database)});
}

std::vector<OpenDatabase> open_databases(mail::PostOffice& office) {
  using Kind = OpenDatabase::Kind;
  std::vector<OpenDatabase> open;
  open.push_back({Kind::directory, "directory.db", nullptr, &office.directory().database()});
  open.push_back({Kind::spool, "spool.db", nullptr, &office.spool().database()});
  {
    Register& known = others();
    const Lock lock(known.mutex);
    std::erase_if(known.all, [](const Announced& one) { return one.database.expired(); });
    for (const Announced& one : known.all)
      if (auto database = one.database.lock())
        open.push_back({Kind::other, one.name, database, database.get()});
  }
  for (auto& box : office.mailboxes().all()) {
    vault::Database* const database = &box.mailbox->database();
    open.push_back({Kind::mailbox, "mail/" + box.id + ".db", std::move(box.mailbox), database, box.idle});
  }
  return open;
}

}  // namespace muhur::server
