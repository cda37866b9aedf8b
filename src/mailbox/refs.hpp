#pragma once
// How many hold on to something that is stored once. One holder is the rule and costs no row: a row says
// how many there are when there are several. Apart from the bytes, which a count must not write again.

#include "base/error.hpp"
#include "vault/connection.hpp"

namespace muhur::mailbox {

// The constant statements over one table of references, each with the id as its parameter.
struct RefStatements {
  std::string_view add, decrease, remove_pair, count;
};
extern const RefStatements kEmailRefs;
extern const RefStatements kAttachmentRefs;

// One holder more of what is there.
Result<void> add_ref(vault::Connection& connection, const RefStatements& table, std::int64_t id);
// One holder less. true: it was the last one, and what was held has to go.
Result<bool> drop_ref(vault::Connection& connection, const RefStatements& table, std::int64_t id);

}  // namespace muhur::mailbox
