#include "passwords/verify.hpp"

#include "passwords/crypt_format.hpp"
#include "passwords/phc_argon2.hpp"

namespace muhur::passwords {
namespace {

struct Verify {
  const Secret& password;

  Result<Verdict> operator()(const Argon2Record& record) const {
    MUHUR_TRY(Derived derived, derive(password, record.salt, record.cost));
    return Verdict{equal_constant_time(derived.verifier, record.verifier), std::move(derived.kek)};
  }
  Result<Verdict> operator()(const BcryptRecord& record) const {
    BcryptCheck check{&password, &record};
    verify_together({&check, 1});
    return Verdict{check.right, {}};
  }
  Result<Verdict> operator()(const PhcArgon2& record) const {
    MUHUR_TRY(const bool right, matches_phc_argon2(password, record.text));
    return Verdict{right, {}};
  }
  Result<Verdict> operator()(const CryptRecord& record) const {
    MUHUR_TRY(const bool right, matches_crypt(password, record.text));
    return Verdict{right, {}};
  }
};

bool has_nul(const Secret& password) { return password.text().find('\0') != std::string_view::npos; }

}  // namespace

Result<Verdict> verify_one(const Secret& password, const Record& record) {
  return std::visit(Verify{password}, record);
}

void verify_together(std::span<BcryptCheck> checks) {
  std::array<BcryptJob, kBcryptLanes> jobs;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    jobs[i].password = checks[i].password->view();
    jobs[i].salt = &checks[i].record->salt;
    jobs[i].minor = checks[i].record->minor;
  }
  bcrypt_batch(std::span(jobs).first(checks.size()), checks.front().record->cost);
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const bool equal = equal_constant_time(jobs[i].hash, checks[i].record->hash);
    checks[i].right = equal && !has_nul(*checks[i].password);
  }
}

}  // namespace muhur::passwords
