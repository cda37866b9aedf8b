#pragma once
// The error for stored bytes that cannot be what we wrote, although their page's tag was right.

#include <fmt/format.h>

#include "base/error.hpp"
#include "vault/connection.hpp"

namespace muhur::mailbox {

inline std::unexpected<Error> damaged(const vault::Connection& connection, std::string_view what) {
  return fail(Code::corrupt, fmt::format("{} in {} is damaged", what, connection.path().string()),
              "Restore the mailbox from a backup; the other messages can still be read.");
}

}  // namespace muhur::mailbox
