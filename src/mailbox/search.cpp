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

Search::Search(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;
Search::~Search() = default;

Result<Search> begin_search(const std::shared_ptr<vault::Database>& database, FolderId folder,
                            const Criterion& criterion) {
  std::unique_ptr<Search::Impl> impl;
  MUHUR_CHECK(database->read([&](vault::Connection& connection) -> Result<void> {
    MUHUR_CHECK(check_folder(connection, folder));
    MUHUR_TRY(Matcher matcher, Matcher::make(connection, criterion));
    MUHUR_TRY(auto rows, rows_within(connection, folder, bounds_of(criterion)));
    impl.reset(new Search::Impl{database, std::move(matcher), std::move(rows), 0, {}});
    return {};
  }));
  return Search(std::move(impl));
}

Result<bool> Search::step(Millis time) {
  auto& [weak, matcher, rows, at, found] = *impl_;
  if (at == rows.size()) return false;
  const auto database = weak.lock();
  if (!database) return fail(Code::closed, "The mailbox was closed meanwhile");
  const auto enough = std::chrono::steady_clock::now() + time;
  const std::size_t end = matcher.needs_content() ? std::min(rows.size(), at + kBatch) : rows.size();
  MUHUR_CHECK(database->read([&](vault::Connection& connection) -> Result<void> {
    do {
      MUHUR_TRY(const bool matched, matcher.matches(connection, rows[at]));
      if (matched) found.push_back(rows[at].uid);
    } while (++at < end && (!matcher.needs_content() || std::chrono::steady_clock::now() < enough));
    return {};
  }));
  return at < rows.size();
}

std::vector<Uid> Search::take() { return std::move(impl_->found); }

}  // namespace muhur::mailbox
