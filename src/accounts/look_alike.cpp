#include "accounts/look_alike.hpp"

#include <unicode/uspoof.h>

#include <array>
#include <memory>

#include "base/unicode.hpp"

namespace muhur::accounts {
namespace {

struct CloseChecker {
  void operator()(USpoofChecker* checker) const { uspoof_close(checker); }
};

// Thread-safe once it is set up. Null where ICU has lost its data.
const USpoofChecker* checker() {
  static const std::unique_ptr<USpoofChecker, CloseChecker> made = [] {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<USpoofChecker, CloseChecker> one(uspoof_open(&status));
    if (!one) return one;
    uspoof_setChecks(one.get(), USPOOF_RESTRICTION_LEVEL, &status);
    uspoof_setRestrictionLevel(one.get(), USPOOF_HIGHLY_RESTRICTIVE);
    if (U_FAILURE(status)) one.reset();
    return one;
  }();
  return made.get();
}

std::string skeleton_of(std::string_view name) {
  std::array<char, 1024> out;
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t size =
      uspoof_getSkeletonUTF8(checker(), 0, name.data(), static_cast<std::int32_t>(name.size()), out.data(),
                             static_cast<std::int32_t>(out.size()), &status);
  if (U_FAILURE(status) || size < 0 || size > static_cast<std::int32_t>(out.size())) return std::string(name);
  return {out.data(), static_cast<std::size_t>(size)};
}

bool mixes_scripts(std::string_view name) {
  UErrorCode status = U_ZERO_ERROR;
  const auto found =
      uspoof_checkUTF8(checker(), name.data(), static_cast<std::int32_t>(name.size()), nullptr, &status);
  return U_FAILURE(status) || found != 0;
}

}  // namespace

Result<void> check_look_alikes(vault::Connection& c, const AddressParts& parts) {
  const std::string& name = parts.folded_local;
  if (!checker()) return fail(Code::internal, "ICU cannot tell look-alikes");
  const bool plain = is_ascii(name);
  if (!plain && mixes_scripts(name))
    return fail(Code::invalid, "the name mixes letters of several scripts",
                "Write it in one: a look-alike of another name is all that the mixture is good for");
  MUHUR_TRY(auto st, c.prepare("SELECT canonical FROM users WHERE domain_id = (SELECT id FROM domains WHERE "
                               "name = ?1) AND looks_like = ?2 AND (NOT ?3 OR canonical GLOB '*[^ -~]*')"));
  MUHUR_TRY(const bool row, st.bind(parts.domain, look_of(name), plain).step());
  if (!row) return {};
  return fail(Code::exists, fmt::format("the name looks like {}", st.text(0)), "Choose another one");
}

std::string look_of(std::string_view folded_local) {
  return checker() ? skeleton_of(folded_local) : std::string(folded_local);
}

Result<void> note_looks(vault::Connection& c) {
  std::vector<std::pair<std::int64_t, std::string>> looks;
  {
    MUHUR_TRY(auto st, c.prepare("SELECT id, canonical FROM users"));
    while (true) {
      MUHUR_TRY(const bool row, st.step());
      if (!row) break;
      const std::string_view canonical = st.text(1);
      looks.emplace_back(st.int64(0), look_of(canonical.substr(0, canonical.rfind('@'))));
    }
  }
  for (const auto& [id, look] : looks)
    MUHUR_CHECK(c.run("UPDATE users SET looks_like = ? WHERE id = ?", look, id));
  return {};
}

}  // namespace muhur::accounts
