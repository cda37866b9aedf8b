// vault_sorter DIR MARKER: makes SQLite spill to temporary files of every kind while each row holds the
// marker. tests/e2e/at_rest.test.mjs runs it under strace and looks for the marker in what was written.
#include <cstdio>

#include "vault/connection.hpp"
#include "vault/statement.hpp"

namespace muhur {
namespace {

// Filler that differs from row to row, so that a sort has something to do.
std::string row_text(const std::string& marker, std::uint64_t n) {
  std::string text = std::to_string((n * 2'654'435'761u) % 1'000'003) + ' ';
  while (text.size() < 900) text += marker + ' ';
  return text;
}

Result<void> spill(const std::filesystem::path& directory, const std::string& marker) {
  const vault::Key key = vault::Key::random();
  vault::OpenOptions options;
  options.path = directory / "sorted.db";
  options.key = &key;
  options.mode = vault::OpenMode::create;
  options.profile.cache_kib = 256;  // nothing fits
  MUHUR_TRY(const auto connection, vault::Connection::open(options));
  vault::Connection& c = *connection;
  MUHUR_CHECK(c.exec("CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT NOT NULL); BEGIN"));
  constexpr std::uint64_t kRows = 6000;
  for (std::uint64_t n = 0; n < kRows; ++n) {
    const std::string text = row_text(marker, n);
    MUHUR_CHECK(c.run("INSERT INTO t(text) VALUES(?)", std::string_view(text)));
  }
  MUHUR_CHECK(c.exec("COMMIT"));
  MUHUR_CHECK(c.exec("CREATE INDEX t_text ON t(text)"));  // the sorter's files
  MUHUR_TRY(const std::int64_t sorted,
            c.query_int("SELECT count(*) FROM (SELECT text || id AS x FROM t ORDER BY x LIMIT 5000)"));
  if (sorted != 5000) return fail(Code::internal, "the sort lost rows");
  // A materialised subquery, a temporary table, a statement's journal, and a rollback.
  MUHUR_CHECK(c.exec("CREATE TEMP TABLE u AS SELECT text FROM t; CREATE INDEX temp.u_text ON u(text)"));
  MUHUR_CHECK(
      c.exec("BEGIN; UPDATE t SET text = 'x' || text; SAVEPOINT s; UPDATE t SET text = 'y' || text; "
             "ROLLBACK TO s; ROLLBACK"));
  MUHUR_CHECK(c.exec("DELETE FROM t WHERE id % 2 = 0"));
  MUHUR_CHECK(c.exec("VACUUM"));
  MUHUR_TRY(const std::string sound, c.query_text("PRAGMA integrity_check"));
  if (sound != "ok") return fail(Code::corrupt, sound);
  return {};
}

}  // namespace
}  // namespace muhur

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto done = muhur::spill(argv[1], argv[2]);
  if (!done) std::fprintf(stderr, "%s\n", done.error().text().c_str());
  return done ? 0 : 1;
}
