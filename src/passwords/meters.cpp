#include "passwords/meters.hpp"

#include <ctime>

namespace muhur::passwords {
namespace {

std::chrono::nanoseconds thread_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

constexpr std::string_view kArgon2 = "argon2id", kBcrypt = "bcrypt", kCrypt = "crypt";

struct Meters {
  // By kind.
  struct Hashes {
    explicit Hashes(std::string_view where)
        : argon2(of(kArgon2, where)), bcrypt(of(kBcrypt, where)), crypt(of(kCrypt, where)) {}
    static metrics::Counter& of(std::string_view kind, std::string_view where) {
      return metrics::counter("muhur_password_hashes_total",
                              "Password hashes computed, by kind, here (local) or by a worker",
                              metrics::label("kind", kind) + "," + metrics::label("where", where));
    }
    metrics::Counter& operator[](std::string_view kind) const {
      return kind == kBcrypt ? bcrypt : kind == kCrypt ? crypt : argon2;
    }
    metrics::Counter &argon2, &bcrypt, &crypt;
  };
  Hashes local{"local"}, remote{"worker"};
  metrics::Seconds& cpu = metrics::seconds("muhur_password_hash_cpu_seconds_total",
                                           "CPU time that threads of this process spent on password hashes");
};
Meters& meters() {
  static Meters all;
  return all;
}

}  // namespace

std::string_view kind_of(const Record& record) {
  if (std::holds_alternative<BcryptRecord>(record)) return kBcrypt;
  if (std::holds_alternative<CryptRecord>(record)) return kCrypt;
  return kArgon2;
}

void announce_hashing() { meters(); }

Hashing::Hashing(std::string_view kind, std::size_t count)
    : kind_(kind), count_(count), began_(thread_time()) {}

Hashing::~Hashing() {
  meters().cpu.add(thread_time() - began_);
  meters().local[kind_].add(count_);
}

void count_remote_hash(std::string_view kind) { meters().remote[kind].add(); }

}  // namespace muhur::passwords
