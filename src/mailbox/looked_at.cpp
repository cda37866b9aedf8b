#include "mailbox/looked_at.hpp"

#include <algorithm>

#include "base/unicode.hpp"
#include "mailbox/damaged.hpp"
#include "mailbox/emails.hpp"
#include "mailbox/packed.hpp"
#include "mailbox/stored_content.hpp"
#include "mailbox/summary.hpp"
#include "mime/header.hpp"

namespace muhur::mailbox {
namespace {

constexpr std::uint64_t kMaxHeader = 1 << 20;  // of a header block that is looked at

// "name <mailbox@host>", as people see it.
std::string shown(const mime::Address& address) {
  std::string out;
  if (address.name) out = mime::decode_words(*address.name);
  if (!address.mailbox) return out;
  if (!address.host) return out + *address.mailbox;
  return out + " <" + *address.mailbox + '@' + *address.host + '>';
}

bool has(std::string_view text, std::string_view needle) {
  return fold_text(text).find(needle) != std::string::npos;
}

}  // namespace

Result<void> LookedAt::load_summary() {
  if (envelope_) return {};
  MUHUR_TRY(auto st, connection_.prepare("SELECT sent_day, summary FROM emails WHERE id = ?"));
  st.bind(row_.email);
  MUHUR_TRY(const bool row, st.step());
  if (!row) return fail(Code::not_found, "The message is gone");
  if (!st.is_null(0)) sent_day_ = st.int64(0);
  envelope_ = decode_envelope(st.blob(1));
  if (!envelope_) return damaged(connection_, "A message");
  return {};
}

Result<bool> LookedAt::envelope_has(std::vector<mime::Address> mime::Envelope::* list,
                                    std::string_view needle) {
  MUHUR_CHECK(load_summary());
  return std::ranges::any_of((*envelope_).*list,
                             [&](const mime::Address& address) { return has(shown(address), needle); });
}

Result<bool> LookedAt::subject_has(std::string_view needle) {
  MUHUR_CHECK(load_summary());
  return envelope_->subject && has(mime::decode_words(*envelope_->subject), needle);
}

Result<std::optional<std::int64_t>> LookedAt::sent_day() {
  MUHUR_CHECK(load_summary());
  return sent_day_;
}

Result<bool> LookedAt::header_has(std::string_view name, std::string_view needle) {
  if (!header_) {
    MUHUR_TRY(StoredContent content, StoredContent::load(connection_, row_.email));
    std::uint64_t size = content.head_size();
    if (size == kChunk) {  // it may go on beyond the head
      MUHUR_TRY(const mime::Structure structure, Emails(connection_).structure(row_.email));
      size = std::min(structure.parts.front().header_size, kMaxHeader);
    }
    MUHUR_TRY(header_, content.read(&connection_, 0, size));
  }
  for (const mime::Field& field : mime::fields(*header_)) {
    if (!equals_ignoring_case(field.name, name)) continue;
    if (needle.empty() || has(mime::decode_words(mime::unfold(field.value)), needle)) return true;
  }
  return false;
}

Result<const SearchText*> LookedAt::text() {
  if (!text_) {
    MUHUR_TRY(auto st, connection_.prepare("SELECT text FROM texts WHERE email_id = ?"));
    st.bind(row_.email);
    MUHUR_TRY(const bool row, st.step());
    if (!row) return fail(Code::not_found, "The message is gone");
    text_ = read_search_text(st.blob(0));
    if (!text_) return damaged(connection_, "A message");
  }
  return &*text_;
}

}  // namespace muhur::mailbox
