#pragma once
// Accounts for load tests: an identity and no mailbox, bcrypt as in the load scenario that is compared with.

#include <boost/json/object.hpp>

#include "server/app.hpp"

namespace muhur::cli {

// bench0001@example.org …, each with a record of its own. Those that are there stay as they are.
Result<void> prepare_bench_accounts(server::App& app, std::int64_t count, std::int64_t cost);
// {"count","first","password","bcrypt_cost","note"}; NNNN in the password stands for the account's number.
boost::json::object describe_bench_accounts(std::int64_t count, std::int64_t cost);

}  // namespace muhur::cli
