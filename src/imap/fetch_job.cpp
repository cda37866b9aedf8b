#include "imap/fetch_job.hpp"

#include <algorithm>

#include "imap/dates.hpp"
#include "imap/limits.hpp"
#include "imap/render_envelope.hpp"
#include "imap/render_structure.hpp"
#include "imap/respond.hpp"

namespace muhur::imap {

using Kind = FetchItem::Kind;

FetchJob::FetchJob(mailbox::Mailbox& mailbox, View& view, const FetchRequest& request,
                   std::vector<mailbox::Uid> uids, Options options)
    : mailbox_(mailbox), view_(view), request_(request), uids_(std::move(uids)), options_(options) {}

// CHANGEDSINCE: only what has a higher modseq.
Result<void> FetchJob::narrow_to_changed() {
  narrowed_ = true;
  if (!request_.changed_since) return {};
  MUHUR_TRY(const auto changed, mailbox_.changed_since(view_.folder(), *request_.changed_since));
  std::vector<mailbox::Uid> kept;
  std::ranges::set_intersection(uids_, changed, std::back_inserter(kept));
  uids_ = std::move(kept);
  return {};
}

Result<void> FetchJob::load_rows() {
  const std::size_t count = std::min(kRowsAtOnce, uids_.size() - next_uid_);
  const std::span<const mailbox::Uid> batch(uids_.data() + next_uid_, count);
  next_uid_ += count;
  row_ = 0;
  MUHUR_TRY(rows_, mailbox_.rows(view_.folder(), view_.ranges(batch)));
  // Ranges reach over gaps, where another command's rows cannot be, but a set of single UIDs may skip some.
  std::erase_if(rows_, [&](const auto& row) { return !std::ranges::binary_search(batch, row.uid); });
  newly_seen_.assign(rows_.size(), false);
  if (!options_.mark_seen) return {};

  std::vector<mailbox::Uid> unseen;
  for (const auto& row : rows_)
    if (!(row.flags.system & mailbox::kSeen)) unseen.push_back(row.uid);
  if (unseen.empty()) return {};
  const mailbox::Flags seen{.system = mailbox::kSeen, .keywords = {}};
  MUHUR_TRY(const auto stored,
            mailbox_.store(view_.folder(), view_.ranges(unseen), mailbox::FlagChange::add, seen));
  for (const auto& row : stored.changed) {
    const auto at = std::ranges::lower_bound(rows_, row.uid, {}, &mailbox::MessageRow::uid);
    if (at == rows_.end() || at->uid != row.uid) continue;
    at->flags = row.flags;
    at->modseq = row.modseq;
    newly_seen_[static_cast<std::size_t>(at - rows_.begin())] = true;
    view_.note_own(row.uid, row.modseq);
  }
  return {};
}

Result<bool> FetchJob::fill(std::string& out) {
  if (out.empty()) started_at_.reset();  // what was in it is with the client
  if (!narrowed_) MUHUR_CHECK(narrow_to_changed());
  // What is dear to make may be small to send: the time counts too.
  const auto long_enough = std::chrono::steady_clock::now() + kStorageVisit;
  while (out.size() < kEnough && std::chrono::steady_clock::now() < long_enough) {
    if (!open_ && row_ >= rows_.size()) {
      if (next_uid_ >= uids_.size()) return false;
      MUHUR_CHECK(load_rows());
      continue;
    }
    auto done = step(out);
    if (done) continue;
    // Half of this response is with the client already: it cannot be taken back.
    if (!started_at_) return std::unexpected(std::move(done).error());
    out.resize(*started_at_);
    if (done.error().code != Code::not_found && !damage_) damage_ = std::move(done).error();
    close_message();
  }
  return true;
}

Result<void> FetchJob::step(std::string& out) {
  if (!open_) return open_message(out);
  if (piece_left_ > 0) return render_piece(out);
  if (item_ < request_.items.size()) {
    if (!first_) out.push_back(' ');
    first_ = false;
    return render_item(request_.items[item_++], out);
  }
  // \Seen was set by this very FETCH: the client learns of it here.
  if (newly_seen_[row_] && !request_.wants(Kind::flags)) {
    out.append(" FLAGS ");
    append_flags(out, rows_[row_].flags, view_.is_recent(rows_[row_].uid));
  }
  const bool flags_told = newly_seen_[row_] || request_.wants(Kind::flags);
  const bool told_modseq = request_.wants(Kind::modseq);
  if (!told_modseq && (request_.changed_since || (options_.modseq && flags_told))) {
    out.append(" MODSEQ (");
    append_number(out, rows_[row_].modseq);
    out.push_back(')');
  }
  out.append(")\r\n");
  close_message();
  return {};
}

Result<void> FetchJob::open_message(std::string& out) {
  started_at_ = out.size();
  open_ = true;
  item_ = 0;
  first_ = true;
  const auto& row = rows_[row_];
  const auto number = view_.number_of(row.uid);
  if (!number) return fail(Code::not_found, "no such message in view");
  // What it takes to answer is at hand before a word is said: a message that is gone or damaged is found out
  // here, and one that is expunged from now on stays readable.
  if (request_.wants_structure()) MUHUR_CHECK(structure());
  if (request_.wants(Kind::octets)) MUHUR_CHECK(content());
  out.append("* ");
  append_number(out, *number);
  out.append(" FETCH (");
  if (options_.uid || request_.uid) {
    out.append("UID ");
    append_number(out, row.uid);
    first_ = false;
  }
  return {};
}

void FetchJob::close_message() {
  open_ = false;
  ++row_;
  piece_left_ = 0;
  structure_.reset();
  content_.reset();
  header_.clear();
  has_header_ = false;
}

Result<const mime::Structure*> FetchJob::structure() {
  if (!structure_) {
    MUHUR_TRY(structure_, mailbox_.structure(rows_[row_].email));
  }
  return structure_.get();
}

Result<mailbox::Content*> FetchJob::content() {
  if (!content_) {
    MUHUR_TRY(auto opened, mailbox_.content(rows_[row_].email));
    content_.emplace(std::move(opened));
  }
  return &*content_;
}

Result<void> FetchJob::render_item(const FetchItem& item, std::string& out) {
  const auto& row = rows_[row_];
  switch (item.kind) {
    case Kind::flags:
      out.append("FLAGS ");
      append_flags(out, row.flags, view_.is_recent(row.uid));
      return {};
    case Kind::internal_date:
      out.append("INTERNALDATE ");
      append_date_time(out, {row.internal_date_s, row.zone_minutes});
      return {};
    case Kind::size:
      out.append("RFC822.SIZE ");
      append_number(out, row.size);
      return {};
    case Kind::modseq:
      out.append("MODSEQ (");
      append_number(out, row.modseq);
      out.push_back(')');
      return {};
    case Kind::envelope: {
      MUHUR_TRY(const auto* parts, structure());
      out.append("ENVELOPE ");
      append_envelope(out, parts->envelope);
      return {};
    }
    case Kind::body:
    case Kind::body_structure: {
      MUHUR_TRY(const auto* parts, structure());
      const bool extended = item.kind == Kind::body_structure;
      out.append(extended ? "BODYSTRUCTURE " : "BODY ");
      append_structure(out, *parts, extended);
      return {};
    }
    case Kind::octets:
      return render_octets(item, out);
  }
  return {};
}

Result<void> FetchJob::render_octets(const FetchItem& item, std::string& out) {
  out.append(item.label);
  out.push_back(' ');
  const Section& section = item.section;
  OctetRange range{0, rows_[row_].size};
  if (!section.part.empty() || section.kind != Section::Kind::whole) {
    MUHUR_TRY(const auto* parts, structure());
    const auto found = range_of(section, *parts, rows_[row_].size);
    if (!found) {
      out.append("NIL");
      return {};
    }
    range = *found;
  }

  if (section.kind == Section::Kind::header_fields || section.kind == Section::Kind::header_fields_not) {
    std::string inner;
    std::string& block = section.part.empty() ? header_ : inner;
    if (!section.part.empty() || !has_header_) {
      MUHUR_TRY(auto* const reader, content());
      MUHUR_TRY(block, reader->read(range.offset, std::min<std::uint64_t>(range.size, kMaxHeaderScan)));
      has_header_ = has_header_ || section.part.empty();
    }
    std::string chosen = select_fields(block, section);
    std::string_view part = chosen;
    if (item.offset) {
      part.remove_prefix(static_cast<std::size_t>(std::min<std::uint64_t>(*item.offset, part.size())));
      part = part.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(item.length, part.size())));
    }
    append_literal_head(out, part.size());
    out.append(part);
    return {};
  }

  if (item.offset) {
    const std::uint64_t skip = std::min(*item.offset, range.size);
    range = {range.offset + skip, std::min(item.length, range.size - skip)};
  }
  MUHUR_TRY(auto* const reader, content());
  if (range.offset + range.size > reader->size())
    return fail(Code::corrupt, "a message is shorter than its structure");
  append_literal_head(out, range.size);
  piece_at_ = range.offset;
  piece_left_ = range.size;
  return {};
}

Result<void> FetchJob::render_piece(std::string& out) {
  MUHUR_TRY(auto* const reader, content());
  MUHUR_TRY(const std::string piece,
            reader->read(piece_at_, std::min<std::uint64_t>(piece_left_, kLiteralPiece)));
  if (piece.empty()) return fail(Code::corrupt, "a message is shorter than its size");
  out.append(piece);
  piece_at_ += piece.size();
  piece_left_ -= piece.size();
  return {};
}

}  // namespace muhur::imap
