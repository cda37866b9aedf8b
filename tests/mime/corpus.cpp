#include "mime/corpus.hpp"

#include "mime/corpus_at_random.hpp"
#include "mime/corpus_by_hand.hpp"

namespace muhur::mime::test {

std::string with_crlf(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  char before = 0;
  for (const char c : text) {
    if (c == '\n' && before != '\r') out += '\r';
    out += c;
    before = c;
  }
  return out;
}

std::vector<Sample> corpus(std::uint32_t random_count) {
  std::vector<Sample> all = samples_by_hand();
  for (std::uint32_t seed = 1; seed <= random_count; ++seed)
    all.push_back({fmt::format("random-{:03}", seed), message_at_random(seed)});
  for (Sample& sample : all) sample.bytes = with_crlf(sample.bytes);
  return all;
}

}  // namespace muhur::mime::test
