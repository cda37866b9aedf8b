#include "mailbox/folder_path.hpp"

#include <algorithm>

#include "base/unicode.hpp"

namespace muhur::mailbox {
namespace {

// C0, DEL and, as UTF-8, C1 (C2 80 … C2 9F), line and paragraph separators (E2 80 A8, E2 80 A9).
bool has_control(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return true;
    if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
    if (text.substr(i, 2) == "\xe2\x80" && i + 2 < text.size() &&
        (text[i + 2] == '\xa8' || text[i + 2] == '\xa9'))
      return true;
  }
  return false;
}

bool is_inbox_level(std::string_view path) {
  return path.size() >= kInbox.size() && equals_ignoring_case(path.substr(0, kInbox.size()), kInbox) &&
         (path.size() == kInbox.size() || path[kInbox.size()] == '/');
}

std::unexpected<Error> refused(std::string_view why) {
  return fail(Code::invalid, fmt::format("The folder name {}", why), "Choose another name.");
}

}  // namespace

Result<std::string> normal_path(std::string_view path) {
  if (path.size() > kMaxPathBytes) return refused("is longer than 1,000 bytes");
  auto normal = to_nfc(path);
  if (!normal) return refused("is not UTF-8");
  if (normal->empty()) return refused("is empty");
  if (normal->size() > kMaxPathBytes) return refused("is longer than 1,000 bytes");
  if (has_control(*normal)) return refused("has a control character");
  if (normal->front() == '/' || normal->back() == '/' || normal->find("//") != std::string::npos)
    return refused("has an empty level");
  if (static_cast<std::size_t>(std::count(normal->begin(), normal->end(), '/')) >= kMaxPathLevels)
    return refused("has more than 50 levels");
  if (is_inbox_level(*normal)) normal->replace(0, kInbox.size(), kInbox);
  return std::move(*normal);
}

Result<std::string> lookup_path(std::string_view path) {
  auto normal = normal_path(path);
  if (!normal) return fail(Code::not_found, "There is no such folder");
  return normal;
}

std::string_view parent_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

bool is_below(std::string_view path, std::string_view ancestor) {
  return path.size() > ancestor.size() && path[ancestor.size()] == '/' && path.starts_with(ancestor);
}

bool path_before(std::string_view a, std::string_view b) {
  const bool a_inbox = is_inbox_level(a), b_inbox = is_inbox_level(b);
  if (a_inbox != b_inbox) return a_inbox;
  // '/' sorts before every other character: a control character cannot be in a path.
  const auto rank = [](char c) { return c == '/' ? 0 : static_cast<int>(static_cast<unsigned char>(c)); };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return rank(x) < rank(y); });
}

}  // namespace muhur::mailbox
