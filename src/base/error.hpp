#pragma once
// Errors are values. Inside Muhur a function that can fail for a reason outside the program
// returns Result<T>; exceptions are left to the standard library (out of memory) and are turned
// into replies at one edge of each protocol server.
//
//   Result<int> f();
//   Result<void> g() {
//     MUHUR_TRY(const int n, f());     // returns f's error from g
//     MUHUR_CHECK(h(n));               // the same for Result<void>
//     return {};
//   }
// In a coroutine use MUHUR_CO_TRY and MUHUR_CO_CHECK.

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace muhur {

// What kind of failure it was: what a caller may decide on. The texts are for people.
enum class Code {
  invalid,      // the caller's input is wrong: repeating it will not help
  not_found,    // what was named is not there
  exists,       // what was to be created is there already
  denied,       // wrong credential, disabled account, wrong key: never says which
  quota,        // the user's own limit
  limit,        // a bound of the server's (sizes, counts, nesting)
  busy,         // try again later
  no_space,     // the disk is full
  io,           // reading or writing failed
  corrupt,      // stored bytes are damaged, or are not ours
  unsupported,  // known and not done here
  timed_out,    // a deadline passed
  closed,       // the peer or the object went away
  conflict,     // somebody changed it meanwhile
  internal,     // a bug: it should not happen
};

std::string_view name_of(Code code);

struct Error {
  Code code = Code::internal;
  std::string what;    // what happened, naming the file or the thing; never a secret
  std::string remedy;  // what to do about it; may be empty

  // "what. remedy", for a person.
  std::string text() const;
};

template <class T = void>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(Code code, std::string what, std::string remedy = {}) {
  return std::unexpected(Error{code, std::move(what), std::move(remedy)});
}

// The error of a system call: maps errno to a Code and says its text. `doing` names the act and the
// file: "open /x/y".
std::unexpected<Error> fail_errno(int error_number, std::string_view doing);

}  // namespace muhur

#define MUHUR_CONCAT_(a, b) a##b
#define MUHUR_CONCAT(a, b) MUHUR_CONCAT_(a, b)
#define MUHUR_TRY_(tmp, decl, expr, ret)         \
  auto tmp = (expr);                             \
  if (!tmp) [[unlikely]]                         \
    ret std::unexpected(std::move(tmp).error()); \
  decl = std::move(*tmp)
#define MUHUR_CHECK_(tmp, expr, ret)               \
  do {                                             \
    auto tmp = (expr);                             \
    if (!tmp) [[unlikely]]                         \
      ret std::unexpected(std::move(tmp).error()); \
  } while (false)
#define MUHUR_TRY(decl, ...) MUHUR_TRY_(MUHUR_CONCAT(try_, __COUNTER__), decl, (__VA_ARGS__), return)
#define MUHUR_CHECK(...) MUHUR_CHECK_(MUHUR_CONCAT(check_, __COUNTER__), (__VA_ARGS__), return)
#define MUHUR_CO_TRY(decl, ...) MUHUR_TRY_(MUHUR_CONCAT(try_, __COUNTER__), decl, (__VA_ARGS__), co_return)
#define MUHUR_CO_CHECK(...) MUHUR_CHECK_(MUHUR_CONCAT(check_, __COUNTER__), (__VA_ARGS__), co_return)
