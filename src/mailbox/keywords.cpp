#include "mailbox/keywords.hpp"

#include <algorithm>

#include "base/unicode.hpp"
#include "mailbox/coding.hpp"

namespace muhur::mailbox {
namespace {

void sort_names(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end(),
            [](const std::string& a, const std::string& b) { return to_lower_ascii(a) < to_lower_ascii(b); });
}

}  // namespace

Bytes encode_keywords(const KeywordIds& ids) {
  Writer writer;
  KeywordId previous = 0;
  for (const KeywordId id : ids) {
    writer.varint(static_cast<std::uint64_t>(id - previous));
    previous = id;
  }
  return writer.take();
}

KeywordIds decode_keywords(ByteView set) {
  Reader reader(set);
  KeywordIds ids;
  KeywordId previous = 0;
  while (!reader.rest().empty()) {
    const auto step = static_cast<KeywordId>(reader.varint(UINT32_MAX));
    if (!reader.ok()) break;
    ids.push_back(previous += step);
  }
  return ids;
}

Result<void> check_keywords(const std::vector<std::string>& of_message) {
  std::size_t bytes = 0;
  for (const std::string& name : of_message) bytes += name.size();
  if (of_message.size() <= kMaxKeywordsOfMessage && bytes <= kMaxKeywordBytesOfMessage) return {};
  return fail(Code::limit,
              fmt::format("A message may have {} keywords of {} bytes together", kMaxKeywordsOfMessage,
                          kMaxKeywordBytesOfMessage),
              "Take some away first.");
}

Result<void> Keywords::load() {
  if (loaded_) return {};
  MUHUR_TRY(auto st, connection_.prepare("SELECT id, name FROM keywords"));
  while (true) {
    MUHUR_TRY(const bool row, st.step());
    if (!row) break;
    names_.emplace(st.int64(0), st.text(1));
  }
  loaded_ = true;
  return {};
}

Result<KeywordId> Keywords::known(std::string_view name) {
  MUHUR_TRY(auto st, connection_.prepare("SELECT id FROM keywords WHERE name = ?"));
  st.bind(name);
  MUHUR_TRY(const bool row, st.step());
  return row ? st.int64(0) : 0;
}

Result<KeywordIds> Keywords::ids(const std::vector<std::string>& names) {
  KeywordIds ids;
  for (const std::string& name : names) {
    if (name.empty() || name.size() > kMaxKeywordBytes)
      return fail(Code::invalid, "A keyword is empty or longer than 255 bytes");
    MUHUR_TRY(KeywordId id, known(name));
    if (id == 0) {
      MUHUR_TRY(const std::int64_t count, connection_.query_int("SELECT count(*) FROM keywords"));
      if (static_cast<std::size_t>(count) >= kMaxKeywords)
        return fail(Code::limit, "The mailbox has 4,096 keywords already", "Use one of those.");
      MUHUR_CHECK(connection_.run("INSERT INTO keywords (name) VALUES (?)", name));
      id = connection_.last_insert_id();
      loaded_ = false;
    }
    ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

Result<std::vector<std::string>> Keywords::names(ByteView set) {
  std::vector<std::string> names;
  if (set.empty()) return names;
  MUHUR_CHECK(load());
  for (const KeywordId id : decode_keywords(set))
    if (const auto at = names_.find(id); at != names_.end()) names.push_back(at->second);
  sort_names(names);
  return names;
}

Result<void> Keywords::use(FolderId folder, const KeywordIds& ids) {
  for (const KeywordId id : ids) {
    const std::pair pair{folder, id};
    if (std::find(used_.begin(), used_.end(), pair) != used_.end()) continue;
    MUHUR_CHECK(connection_.run(
        "INSERT INTO mailbox_keywords (mailbox_id, keyword_id) VALUES (?, ?) ON CONFLICT DO NOTHING", folder,
        id));
    used_.push_back(pair);
  }
  return {};
}

Result<std::vector<std::string>> Keywords::of_folder(FolderId folder) {
  std::vector<std::string> names;
  MUHUR_TRY(auto st, connection_.prepare("SELECT k.name FROM mailbox_keywords m "
                                         "JOIN keywords k ON k.id = m.keyword_id WHERE m.mailbox_id = ?"));
  st.bind(folder);
  while (true) {
    MUHUR_TRY(const bool row, st.step());
    if (!row) break;
    names.emplace_back(st.text(0));
  }
  sort_names(names);
  return names;
}

}  // namespace muhur::mailbox
