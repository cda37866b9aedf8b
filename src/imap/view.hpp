#pragma once
// The selected folder as this session has been told of it: message numbers are places in it, and stay
// until an EXPUNGE is sent (RFC 3501 §5.5, §7.4.1). Four octets a message; flags are read when asked for.
// Of its session only.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "imap/sequence.hpp"
#include "mailbox/mailbox.hpp"

namespace muhur::imap {

struct ReportOptions {
  bool expunge = false;  // EXPUNGE may be sent: not during FETCH, STORE and SEARCH
  bool uid = false;      // FETCH responses carry the UID (the command was a UID command)
  bool modseq = false;   // and the MODSEQ (CONDSTORE is enabled)
};

class View {
 public:
  View(mailbox::Overview all, bool read_only, mailbox::Uid first_recent);

  mailbox::FolderId folder() const { return folder_; }
  bool read_only() const { return read_only_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(uids_.size()); }
  std::uint32_t recent() const;
  const std::vector<std::string>& keywords() const { return keywords_; }
  // Up to which modseq this session knows everything.
  mailbox::ModSeq known_modseq() const { return modseq_; }
  const std::string& path() const { return path_; }

  // The UIDs that a set of message numbers or UIDs names, ascending. UIDs that are not there are passed
  // over; nullopt: a message number beyond the last.
  std::optional<std::vector<mailbox::Uid>> resolve(const SequenceSet& set, bool uid) const;
  // As few ranges as hold exactly these among the folder's messages: gaps hold only UIDs that are gone.
  mailbox::UidSet ranges(std::span<const mailbox::Uid> uids) const;
  // The same for what a set names, without looking at each message. UIDs that are not there may be within.
  std::optional<mailbox::UidSet> resolve_ranges(const SequenceSet& set, bool uid) const;
  std::optional<std::uint32_t> number_of(mailbox::Uid uid) const;
  bool is_recent(mailbox::Uid uid) const;
  mailbox::UidSet recent_uids() const { return recent_; }

  // The client knows already that this message has this modseq: its own STORE.
  void note_own(mailbox::Uid uid, mailbox::ModSeq modseq) { own_[uid] = modseq; }

  // Says FLAGS again when rows show keywords that were not there before.
  void learn(std::span<const mailbox::MessageRow> rows, std::string& out);

  // Takes in what happened since known_modseq() and writes what may be told now; EXPUNGEs that may not
  // wait for the next time. `first_recent`: UIDs from it on are recent to this session.
  void update(const mailbox::Delta& delta, mailbox::Uid first_recent, const ReportOptions& options,
              std::string& out);
  // Nothing new happened: what waited.
  void report_expunged(std::string& out);
  bool has_waiting() const { return !waiting_.empty(); }

 private:
  bool learn_keywords(const std::vector<std::string>& keywords);
  void report_flags(const mailbox::MessageRow& row, const ReportOptions& options, std::string& out) const;

  mailbox::FolderId folder_;
  std::string path_;
  bool read_only_;
  mailbox::ModSeq modseq_;
  std::vector<mailbox::Uid> uids_;     // by message number - 1, ascending
  std::vector<mailbox::Uid> waiting_;  // gone, not yet told; still in uids_
  mailbox::UidSet recent_;
  std::vector<std::string> keywords_;               // told in FLAGS
  std::unordered_set<std::string> known_keywords_;  // the same in lower case
  std::unordered_map<mailbox::Uid, mailbox::ModSeq> own_;
};

}  // namespace muhur::imap
