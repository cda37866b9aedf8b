#pragma once
// A record taken apart (https://sqlite.org/fileformat2.html#record_format): a varint header size, a serial
// type a field, then the fields. Private to the vault.

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.hpp"

namespace muhur::vault {

// Views look into the payload. std::monostate is NULL.
using Field = std::variant<std::monostate, std::int64_t, double, std::string_view, ByteView>;

// False: it is malformed.
bool parse_record(ByteView payload, std::vector<Field>& out);

}  // namespace muhur::vault
