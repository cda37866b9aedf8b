#include "mailbox/search.hpp"

#include "mailbox/search_run.hpp"

namespace muhur::mailbox {
namespace {

// Messages whose content is looked at in one go; then the reader is given back for a moment, so that a
// long search neither keeps others from reading nor the log from being written back.
constexpr std::size_t kBatch = 256;

Result<void> check_folder(vault::Connection& connection, FolderId folder) {
  MUHUR_TRY(auto st, connection.prepare("SELECT 1 FROM mailboxes WHERE id = ? AND selectable"));
  st.bind(folder);
  MUHUR_TRY(const bool there, st.step());
  if (!there) return fail(Code::not_found, "There is no such folder");
  return {};
}

}  // namespace

Result<std::vector<Uid>> run_search(vault::Database& database, FolderId folder, const Criterion& criterion) {
  std::optional<Matcher> matcher;
  std::vector<Row> rows;
  std::vector<Uid> found;
  MUHUR_CHECK(database.read([&](vault::Connection& connection) -> Result<void> {
    MUHUR_CHECK(check_folder(connection, folder));
    MUHUR_TRY(Matcher made, Matcher::make(connection, criterion));
    matcher.emplace(std::move(made));
    MUHUR_TRY(rows, rows_within(connection, folder, bounds_of(criterion)));
    return {};
  }));
  for (std::size_t at = 0; at < rows.size();) {
    const std::size_t end = matcher->needs_content() ? std::min(rows.size(), at + kBatch) : rows.size();
    MUHUR_CHECK(database.read([&](vault::Connection& connection) -> Result<void> {
      for (; at < end; ++at) {
        MUHUR_TRY(const bool matched, matcher->matches(connection, rows[at]));
        if (matched) found.push_back(rows[at].uid);
      }
      return {};
    }));
  }
  return found;
}

}  // namespace muhur::mailbox
