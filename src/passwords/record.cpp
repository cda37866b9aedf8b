#include "passwords/record.hpp"

#include <fmt/format.h>

#include "passwords/crypt_format.hpp"
#include "passwords/phc_argon2.hpp"

namespace muhur::passwords {
namespace {

template <class... F>
struct Each : F... {
  using F::operator()...;
};

}  // namespace

Result<Record> parse_record(std::string_view text) {
  if (text.starts_with("muhur$argon2id$")) {
    auto record = parse_argon2(text);
    if (!record) return fail(Code::invalid, record.error().what, record.error().remedy);
    return Record(std::move(*record));
  }
  if (text.starts_with("$argon2id$") || text.starts_with("$argon2i$")) {
    MUHUR_CHECK(check_phc_argon2(text));
    return Record(PhcArgon2{std::string(text)});
  }
  // $2x$ is not among them: whoever made it took bytes as signed, and easier passwords share its hash.
  if (text.starts_with("$2a$") || text.starts_with("$2b$") || text.starts_with("$2y$")) {
    MUHUR_TRY(const BcryptRecord record, parse_bcrypt(text));
    return Record(record);
  }
  MUHUR_CHECK(check_crypt_format(text));
  return Record(CryptRecord{std::string(text)});
}

std::string to_text(const Record& record) {
  return std::visit(
      Each{[](const Argon2Record& r) { return to_text(r); }, [](const BcryptRecord& r) { return to_text(r); },
           [](const PhcArgon2& r) { return r.text; }, [](const CryptRecord& r) { return r.text; }},
      record);
}

std::string batch_key(const Record& record) {
  const auto* bcrypt = std::get_if<BcryptRecord>(&record);
  return bcrypt ? fmt::format("bcrypt:{}", bcrypt->cost) : std::string();
}

}  // namespace muhur::passwords
