#include "imap/view.hpp"

#include <algorithm>

#include "base/unicode.hpp"
#include "imap/respond.hpp"

namespace muhur::imap {

View::View(mailbox::Overview all, bool read_only, mailbox::Uid first_recent)
    : folder_(all.folder.id),
      path_(all.folder.path),
      read_only_(read_only),
      modseq_(all.folder.highest_modseq),
      uids_(std::move(all.uids)) {
  learn_keywords(all.keywords);
  if (first_recent < all.folder.uid_next) recent_.push_back({first_recent, all.folder.uid_next - 1});
}

bool View::learn_keywords(const std::vector<std::string>& keywords) {
  bool learned = false;
  for (const auto& keyword : keywords) {
    if (!known_keywords_.insert(to_lower_ascii(keyword)).second) continue;
    keywords_.push_back(keyword);
    learned = true;
  }
  return learned;
}

void View::learn(std::span<const mailbox::MessageRow> rows, std::string& out) {
  bool learned = false;
  for (const auto& row : rows) learned |= learn_keywords(row.flags.keywords);
  if (!learned) return;
  out.append("* FLAGS ");
  append_known_flags(out, keywords_, false);
  out.append("\r\n");
}

std::uint32_t View::recent() const {
  std::uint32_t count = 0;
  for (const auto& [first, last] : recent_) {
    const auto begin = std::ranges::lower_bound(uids_, first);
    count += static_cast<std::uint32_t>(std::upper_bound(begin, uids_.end(), last) - begin);
  }
  return count;
}

bool View::is_recent(mailbox::Uid uid) const { return !recent_.empty() && contains(recent_, uid); }

std::optional<std::uint32_t> View::number_of(mailbox::Uid uid) const {
  const auto at = std::ranges::lower_bound(uids_, uid);
  if (at == uids_.end() || *at != uid) return std::nullopt;
  return static_cast<std::uint32_t>(at - uids_.begin()) + 1;
}

std::optional<std::vector<mailbox::Uid>> View::resolve(const SequenceSet& set, bool uid) const {
  const auto ranges = resolve_ranges(set, uid);
  if (!ranges) return std::nullopt;
  std::vector<mailbox::Uid> out;
  for (const auto& [first, last] : *ranges) {
    const auto begin = std::ranges::lower_bound(uids_, first);
    out.insert(out.end(), begin, std::upper_bound(begin, uids_.end(), last));
  }
  return out;
}

std::optional<mailbox::UidSet> View::resolve_ranges(const SequenceSet& set, bool uid) const {
  if (uid) return set.normalized(uids_.empty() ? 0 : uids_.back());
  for (const auto& [first, last] : set.ranges) {
    // "N:*" with N beyond the last means the last (as with UIDs); any other number has to be there.
    const bool open = first == SequenceSet::kStar || last == SequenceSet::kStar;
    if (!open && std::max(first, last) > size()) return std::nullopt;
  }
  mailbox::UidSet numbers = set.normalized(size());
  std::erase_if(numbers, [&](const mailbox::UidRange& range) { return range.first > size(); });
  // Between two neighbours in the view there is nothing, so that a range of numbers is one of UIDs.
  for (auto& [first, last] : numbers) {
    first = uids_[first - 1];
    last = uids_[std::min(last, size()) - 1];
  }
  return numbers;
}

mailbox::UidSet View::ranges(std::span<const mailbox::Uid> uids) const {
  mailbox::UidSet out;
  auto at = uids_.begin();
  for (const mailbox::Uid uid : uids) {
    if (!out.empty() && at != uids_.end() && *at == uid) {
      out.back().last = uid;
    } else {
      out.push_back({uid, uid});
      at = std::ranges::lower_bound(uids_, uid);
    }
    if (at != uids_.end()) ++at;
  }
  return out;
}

void View::report_flags(const mailbox::MessageRow& row, const ReportOptions& options,
                        std::string& out) const {
  const auto number = number_of(row.uid);
  if (!number) return;
  out.append("* ");
  append_number(out, *number);
  out.append(" FETCH (");
  if (options.uid || options.modseq) {
    out.append("UID ");
    append_number(out, row.uid);
    out.push_back(' ');
  }
  out.append("FLAGS ");
  append_flags(out, row.flags, is_recent(row.uid));
  if (options.modseq) {
    out.append(" MODSEQ (");
    append_number(out, row.modseq);
    out.push_back(')');
  }
  out.append(")\r\n");
}

void View::update(const mailbox::Delta& delta, mailbox::Uid first_recent, const ReportOptions& options,
                  std::string& out) {
  modseq_ = std::max(modseq_, delta.folder.highest_modseq);
  path_ = delta.folder.path;
  for (const auto& [first, last] : delta.expunged) {
    const auto begin = std::ranges::lower_bound(uids_, first);
    waiting_.insert(waiting_.end(), begin, std::upper_bound(begin, uids_.end(), last));
  }

  const mailbox::Uid last_known = uids_.empty() ? 0 : uids_.back();
  std::vector<const mailbox::MessageRow*> changed;
  std::uint32_t added = 0;
  for (const auto& row : delta.changed) {
    if (row.uid > last_known) {
      uids_.push_back(row.uid);
      ++added;
    } else if (const auto own = own_.find(row.uid); own == own_.end() || own->second != row.modseq) {
      changed.push_back(&row);
    }
  }
  own_.clear();
  if (added > 0 && first_recent < delta.folder.uid_next) {
    const mailbox::UidRange range{first_recent, delta.folder.uid_next - 1};
    if (!recent_.empty() && recent_.back().last + 1 >= range.first)
      recent_.back().last = range.last;
    else
      recent_.push_back(range);
  }

  if (options.expunge) report_expunged(out);
  if (added > 0) {
    out.append("* ");
    append_number(out, size());
    out.append(" EXISTS\r\n* ");
    append_number(out, recent());
    out.append(" RECENT\r\n");
  }
  learn(delta.changed, out);
  for (const auto* row : changed) report_flags(*row, options, out);
}

void View::report_expunged(std::string& out) {
  if (waiting_.empty()) return;
  std::ranges::sort(waiting_);
  const auto repeated = std::ranges::unique(waiting_);
  waiting_.erase(repeated.begin(), repeated.end());
  // From the last to the first, so that no number shifts under the ones that follow.
  auto at = uids_.size();
  for (std::size_t i = waiting_.size(); i-- > 0;) {
    at = static_cast<std::size_t>(
        std::lower_bound(uids_.begin(), uids_.begin() + static_cast<std::ptrdiff_t>(at), waiting_[i]) -
        uids_.begin());
    out.append("* ");
    append_number(out, at + 1);
    out.append(" EXPUNGE\r\n");
  }
  auto gone = waiting_.begin();
  std::erase_if(uids_, [&](mailbox::Uid uid) {
    if (gone == waiting_.end() || *gone != uid) return false;
    ++gone;
    return true;
  });
  waiting_.clear();
  waiting_.shrink_to_fit();
}

}  // namespace muhur::imap
