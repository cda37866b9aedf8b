#include "web/embedded.hpp"

namespace muhur::web {
namespace {

struct Range {
  std::string_view name;
  const char* begin;
  const char* end;
};

}  // namespace

// Made by CMake: a label before and behind each file, and kRanges.
#include "embedded_files.inc"

const std::vector<EmbeddedFile>& embedded_files() {
  static const auto files = [] {
    std::vector<EmbeddedFile> all;
    for (const Range& range : kRanges) all.push_back({range.name, std::string_view(range.begin, range.end)});
    return all;
  }();
  return files;
}

std::string_view embedded_file(std::string_view name) {
  for (const EmbeddedFile& file : embedded_files())
    if (file.name == name) return file.content;
  return {};
}

}  // namespace muhur::web
