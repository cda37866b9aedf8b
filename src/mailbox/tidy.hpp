#pragma once
// What a mailbox remembers for others' sake, and for how long:
//
//   vanished   for sessions and clients that were away: kVanishedDays, and kMostVanished ranges a
//              folder. What goes is forgotten by whole changes, and the folder notes up to which MODSEQ:
//              whoever asks for what vanished since an earlier one is told of every UID that is not
//              there (RFC 7162 §3.2.6)
//   delivered  for drains that were cut short: until the spool has the delivery no more. And for a
//              spool.db that was restored from a backup: kDeliveredFor, and kMostDelivered ids
//
// All of it in transactions of at most kTidyRows rows, so that nobody waits long for the writer. Blocks.

#include <set>
#include <string>

#include "base/clock.hpp"
#include "vault/database.hpp"

namespace muhur::mailbox {

inline constexpr std::int64_t kVanishedDays = 90;
inline constexpr std::int64_t kMostVanished = 20'000;
inline constexpr Millis kDeliveredFor{30LL * 24 * 3600 * 1000};
inline constexpr std::int64_t kMostDelivered = 100'000;
inline constexpr std::int64_t kTidyRows = 1'000;
inline constexpr Millis kTidyEvery{24LL * 3600 * 1000};

Result<void> tidy_vanished(vault::Database& database, std::int64_t now_s);
// `waiting`: ids of deliveries that the spool still has. They are kept, however old.
Result<void> tidy_delivered(vault::Database& database, std::int64_t now_s,
                            const std::set<std::string, std::less<>>& waiting);

// When it was last done, seconds since 1970; 0: never.
Result<std::int64_t> tidied_at(vault::Database& database);
Result<void> note_tidied(vault::Database& database, std::int64_t now_s);

}  // namespace muhur::mailbox
