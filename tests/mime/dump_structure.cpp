// Test tool. Writes what the scanner finds in messages, in IMAP's syntax, for comparison with Dovecot.
//
//   mime_dump --corpus DIRECTORY [COUNT]  writes the generated corpus, a file a message, COUNT of them random
//   mime_dump FILE...                     for each file, one line (literals aside):
//     (NAME BODYSTRUCTURE ENVELOPE FIELDS ((SECTION header-offset header-size body-offset body-size)…))

#include <fstream>
#include <iostream>
#include <iterator>

#include "base/unicode.hpp"
#include "mime/corpus.hpp"
#include "mime/header.hpp"
#include "mime/imap_text.hpp"
#include "mime/scanner.hpp"

namespace muhur::mime::test {
namespace {

constexpr std::size_t kMaxSections = 60;

// The sections of the parts, as BODYSTRUCTURE counts them.
void add_sections(const Structure& structure, std::vector<std::uint32_t> section, std::string& out,
                  std::size_t& count) {
  const auto at = part_at(structure, section);
  if (!at || ++count > kMaxSections) return;
  const Part& part = structure.parts[*at];
  out += fmt::format("(\"{}\" {} {} {} {})", fmt::join(section, "."), part.header_start, part.header_size,
                     part.body_start, part.body_size);
  section.push_back(1);
  for (; part_at(structure, section) && count <= kMaxSections; ++section.back())
    add_sections(structure, section, out, count);
}

std::string dump(const std::string& name, std::string_view message) {
  const Structure structure = scan(as_bytes(message));
  std::string sections;
  std::size_t count = 0;
  for (std::vector<std::uint32_t> section{1}; part_at(structure, section); ++section.back())
    add_sections(structure, section, sections, count);

  const Part& root = structure.parts.at(0);
  std::string fields_text;
  for (const Field& field : fields(message.substr(0, root.header_size)))
    for (const char* wanted : {"subject", "to", "content-type", "x-long", "colon"})
      if (equals_ignoring_case(field.name, wanted)) fields_text += field.whole;
  return fmt::format("(\"{}\" {} {} {{{}}}\r\n{} ({}))\r\n", name, body_structure(structure),
                     envelope_text(structure.envelope), fields_text.size(), fields_text, sections);
}

}  // namespace
}  // namespace muhur::mime::test

int main(int argc, char** argv) {
  using namespace muhur::mime::test;
  if (argc >= 3 && std::string_view(argv[1]) == "--corpus") {
    const auto samples = argc > 3 ? corpus(static_cast<std::uint32_t>(std::stoul(argv[3]))) : corpus();
    for (const Sample& sample : samples)
      std::ofstream(std::filesystem::path(argv[2]) / (sample.name + ".eml"), std::ios::binary)
          << sample.bytes;
    return 0;
  }
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::cerr << "mime_dump: cannot read " << argv[i] << "\n";
      return 1;
    }
    const std::string message{std::istreambuf_iterator<char>(file), {}};
    std::cout << dump(std::filesystem::path(argv[i]).filename().string(), message);
  }
  return 0;
}
