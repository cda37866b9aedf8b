#pragma once
// The fields of a header block, in order (RFC 5322 §2.2). Linear time; no limits of its own.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muhur::mime {

struct Field {
  std::string_view name;   // as written, without the colon and white space before it
  std::string_view value;  // raw, still folded, without the final line break
  std::string_view whole;  // the field's bytes from its name to its last line break
};

// Walks a header block without allocating. Stops at the empty line. Lines that are no field (no colon, an
// impossible name, a name of more than 1000 octets) are skipped with their continuations.
class FieldReader {
 public:
  explicit FieldReader(std::string_view block) : rest_(block) {}
  std::optional<Field> next();

 private:
  std::string_view rest_;
};

// All of them. Views into `block`.
std::vector<Field> fields(std::string_view block);

// The first field of that name, ignoring case; unfolded and trimmed.
std::optional<std::string> first_value(std::string_view block, std::string_view name);

// Line breaks gone, as RFC 5322 §2.2.3 (a stray CR or LF that no white space follows becomes a space);
// NUL becomes U+FFFD; trimmed at both ends.
std::string unfold(std::string_view raw);

}  // namespace muhur::mime
