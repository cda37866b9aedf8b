#pragma once
// One message under a search: its row, and of its content what the criteria ask for, read once.

#include <optional>

#include "mailbox/rows.hpp"
#include "mailbox/search_text.hpp"
#include "mime/structure.hpp"

namespace muhur::mailbox {

class LookedAt {
 public:
  LookedAt(vault::Connection& connection, const Row& row) : connection_(connection), row_(row) {}
  const Row& row() const { return row_; }

  // All not_found when the message was expunged meanwhile. Needles are folded (search_text.hpp).
  Result<bool> envelope_has(std::vector<mime::Address> mime::Envelope::* list, std::string_view needle);
  Result<bool> subject_has(std::string_view needle);
  // A field of the message's own header; an empty needle: it is there.
  Result<bool> header_has(std::string_view name, std::string_view needle);
  Result<const SearchText*> text();
  Result<std::optional<std::int64_t>> sent_day();

 private:
  Result<void> load_summary();
  vault::Connection& connection_;
  const Row& row_;
  std::optional<mime::Envelope> envelope_;
  std::optional<std::int64_t> sent_day_;
  std::optional<std::string> header_;
  std::optional<SearchText> text_;
};

}  // namespace muhur::mailbox
