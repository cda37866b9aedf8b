#pragma once
// The work of one FETCH, a piece at a time: fill() runs where blocking is allowed and writes responses
// into a buffer until it holds enough to send or has taken long enough; between two calls nothing is held of
// the mailbox, neither lock nor transaction, so a slow reader delays nobody. A large message is never in
// memory as a whole; one that is expunged while it goes out stays for this job alone, by its Content.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "imap/fetch_items.hpp"
#include "imap/section.hpp"
#include "imap/view.hpp"
#include "mailbox/mailbox.hpp"

namespace muhur::imap {

class FetchJob {
 public:
  struct Options {
    bool uid = false;     // a UID FETCH: every response has the UID
    bool modseq = false;  // CONDSTORE is enabled: flags go with their MODSEQ
    bool mark_seen = false;
  };
  // All outlive the job. `uids` ascending, all in the view.
  FetchJob(mailbox::Mailbox& mailbox, View& view, const FetchRequest& request, std::vector<mailbox::Uid> uids,
           Options options);

  // `out` is as the last call left it, or was sent and is empty. true: there is more. Messages that are gone
  // are passed over; damaged ones too, and damage() says so. After an error with cut() a response is broken
  // off in its middle: nothing can follow it.
  Result<bool> fill(std::string& out);
  bool cut() const { return open_; }
  const std::optional<Error>& damage() const { return damage_; }

 private:
  Result<void> load_rows();
  Result<void> narrow_to_changed();
  Result<void> open_message(std::string& out);
  Result<void> render_item(const FetchItem& item, std::string& out);
  Result<void> render_octets(const FetchItem& item, std::string& out);
  Result<void> render_piece(std::string& out);
  Result<void> step(std::string& out);
  Result<const mime::Structure*> structure();
  Result<mailbox::Content*> content();
  void close_message();

  mailbox::Mailbox& mailbox_;
  View& view_;
  const FetchRequest& request_;
  std::vector<mailbox::Uid> uids_;
  Options options_;
  bool narrowed_ = false;

  std::size_t next_uid_ = 0;  // in uids_: the first that rows_ does not hold
  std::vector<mailbox::MessageRow> rows_;
  std::vector<bool> newly_seen_;  // by row: its flags changed and have to be told
  std::size_t row_ = 0;

  // The message under way.
  bool open_ = false;
  std::size_t item_ = 0;
  bool first_ = true;  // no item was written yet
  std::shared_ptr<const mime::Structure> structure_;
  std::optional<mailbox::Content> content_;
  std::uint64_t piece_at_ = 0, piece_left_ = 0;  // of a literal under way
  std::string header_;                           // the root's, kept for several HEADER.FIELDS
  bool has_header_ = false;
  std::optional<std::size_t> started_at_;  // in the buffer, while none of the message was sent: to take back
  std::optional<Error> damage_;
};

}  // namespace muhur::imap
