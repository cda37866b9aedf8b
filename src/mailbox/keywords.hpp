#pragma once
// Keywords: a table of names (as first written in the mailbox, the same in any case), and in each message
// the set of their ids:
//   keyword set = (id - previous id) varint…      ascending, the previous of the first is 0; no set: NULL
// A name once used in a folder stays in that folder's list.

#include <map>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "mailbox/types.hpp"
#include "vault/connection.hpp"

namespace muhur::mailbox {

inline constexpr std::size_t kMaxKeywords = 4'096;  // in a mailbox
inline constexpr std::size_t kMaxKeywordBytes = 255;
// Of one message: its keywords are in memory as text wherever its flags are.
inline constexpr std::size_t kMaxKeywordsOfMessage = 100;
inline constexpr std::size_t kMaxKeywordBytesOfMessage = 4'000;

using KeywordId = std::int64_t;
using KeywordIds = std::vector<KeywordId>;  // ascending, unique

Bytes encode_keywords(const KeywordIds& ids);
// Whatever can be read of it; a set never lies outside its bytes.
KeywordIds decode_keywords(ByteView set);
// limit: more or longer ones than a message may have.
Result<void> check_keywords(const std::vector<std::string>& of_message);

class Keywords {
 public:
  explicit Keywords(vault::Connection& connection) : connection_(connection) {}

  // Ids of the names, new ones made. invalid, limit.
  Result<KeywordIds> ids(const std::vector<std::string>& names);
  // Id of a name that is there; 0 if none.
  Result<KeywordId> known(std::string_view name);
  // The names of a set, sorted ignoring case.
  Result<std::vector<std::string>> names(ByteView set);

  // Notes that the folder uses them.
  Result<void> use(FolderId folder, const KeywordIds& ids);
  Result<std::vector<std::string>> of_folder(FolderId folder);

 private:
  Result<void> load();
  vault::Connection& connection_;
  bool loaded_ = false;
  std::map<KeywordId, std::string> names_;
  std::vector<std::pair<FolderId, KeywordId>> used_;  // noted already in this transaction
};

}  // namespace muhur::mailbox
