#pragma once
// Every bound of the IMAP server in one place, each with its reason. What the operator may set is in
// ServerOptions; what follows is not worth a setting.

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace muhur::imap {

// --- before login: whoever can connect may send these, so they stay small.
inline constexpr std::size_t kMaxCommandBeforeLogin = 8 * 1024;     // an AUTHENTICATE with a long token fits
inline constexpr std::size_t kMaxToken = 6 * 1024;                  // what of one fits into that in base64
inline constexpr std::uint64_t kMaxLiteralsBeforeLogin = 4 * 1024;  // LOGIN {n} {n}: names and passwords
inline constexpr std::uint64_t kMaxSwallowBeforeLogin = 4u << 20;   // refused octets read before we hang up
inline constexpr unsigned kMaxBadBeforeLogin = 8;                   // malformed commands in all
inline constexpr unsigned kMaxFailedLogins = 5;  // on one connection; accounts/ delays more

// --- after login
inline constexpr std::uint64_t kMaxLiterals = 128 * 1024;  // of one command but APPEND, together
inline constexpr std::uint64_t kMaxSwallow = 4ull << 30;   // a refused APPEND is read and dropped
inline constexpr unsigned kMaxBadInRow = 50;               // a client that only errs is broken
inline constexpr unsigned kMaxNesting = 200;               // OR chains of webmails nest to the right
inline constexpr std::size_t kMaxKeywordLength = 255;      // octets of a user's flag
inline constexpr std::size_t kMaxKeywords = 100;           // in one STORE or APPEND
inline constexpr std::size_t kMaxFetchItems = 200;         // sections named in one FETCH
inline constexpr std::size_t kMaxHeaderScan = 1u << 20;    // HEADER.FIELDS looks no further (as mime/)
inline constexpr std::size_t kMaxIdParameters = 30;        // RFC 2971 §3.3
inline constexpr std::size_t kMaxListPatterns = 50;        // LIST "" (a b c …)
inline constexpr std::size_t kMaxPatternOctets = 4'000;    // of all patterns together; a path has 1,000
inline constexpr std::size_t kMaxSearchKeys = 500;         // each is looked for in each message

// --- sizes of buffers
inline constexpr std::size_t kEnough = 64 * 1024;        // output is written in pieces of about this
inline constexpr std::size_t kLiteralPiece = 64 * 1024;  // of a stored message, read and sent at once
inline constexpr std::size_t kRestingCapacity = 256;     // buffers above it are freed while a client rests
inline constexpr std::size_t kRowsAtOnce = 256;      // messages of a FETCH that one visit to storage loads
inline constexpr std::size_t kStoredAtOnce = 1'000;  // messages of a STORE in one transaction
inline constexpr std::size_t kNamesAtOnce = 16;      // folders of a LIST between which others get their turn

// --- times
// A reader so slow that it takes none of 64 KiB for this long is gone.
inline constexpr std::chrono::minutes kWriteTimeout{5};
// A client that has begun a command and sends nothing more of it for this long is gone too.
inline constexpr std::chrono::milliseconds kStalled{5 * 60'000};
// Of a SEARCH or FETCH on a thread of the storage pool, before other users get it.
inline constexpr std::chrono::milliseconds kStorageVisit{50};

}  // namespace muhur::imap
