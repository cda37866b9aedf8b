// IMAP commands as a stranger may send them: any cutting gives the same commands, and whatever parses has to
// stay within bounds.
#include <string>
#include <vector>

#include "check.hpp"
#include "imap/dates.hpp"
#include "imap/fetch_items.hpp"
#include "imap/flag_list.hpp"
#include "imap/list_pattern.hpp"
#include "imap/mutf7.hpp"
#include "imap/search_keys.hpp"
#include "imap/tokens.hpp"
#include "imap/view.hpp"

namespace {

using namespace muhur;
using imap::CommandReader;

constexpr imap::ReaderLimits kLimits{2'000, 4'000, 20'000, 50'000};

std::vector<std::string> commands_of(std::string_view input, std::size_t step) {
  CommandReader reader(kLimits);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < input.size(); at += step) {
    std::string_view piece = input.substr(at, step);
    while (!piece.empty()) {
      std::size_t taken = 0;
      const auto state = reader.feed(piece, taken);
      FUZZ_CHECK(taken > 0 && taken <= piece.size());
      FUZZ_CHECK(reader.text().size() <= kLimits.command + kLimits.append + 64);
      piece.remove_prefix(taken);
      if (state == CommandReader::State::need_more) continue;
      out.push_back(std::to_string(static_cast<int>(state)) + std::string(reader.tag()));
      if (state == CommandReader::State::fatal) return out;
      if (state == CommandReader::State::continuation) continue;
      if (state == CommandReader::State::command) out.back() += reader.text();
      reader.next(false);
    }
  }
  return out;
}

const imap::View& some_view() {
  static const imap::View kView = [] {
    mailbox::Overview all;
    for (mailbox::Uid uid = 1; uid < 400; uid += 3) all.uids.push_back(uid);
    all.folder.uid_next = 400;
    return imap::View(std::move(all), false, 390);
  }();
  return kView;
}

void parse_everything(std::string_view text) {
  imap::Parser fetch(text), search(text), flags(text), list(text);
  imap::parse_fetch(fetch);
  imap::SearchRequest request;
  imap::parse_search(search, some_view(), request);
  imap::parse_flags(flags);
  imap::parse_date_time(text);
  if (const auto pattern = list.list_mailbox()) imap::matches(*pattern, "INBOX/some/folder");
  if (const auto set = imap::parse_sequence_set(text)) some_view().resolve(*set, true);
  // A name that is read is written the same way.
  if (const auto name = imap::from_mutf7(text)) FUZZ_CHECK(imap::to_mutf7(*name) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = as_text(ByteView(data, size));
  const auto whole = commands_of(input, std::max<std::size_t>(size, 1));
  FUZZ_CHECK(commands_of(input, 1) == whole);
  FUZZ_CHECK(commands_of(input, 7) == whole);
  for (const auto& command : whole) parse_everything(command);
  parse_everything(input);
  return 0;
}
