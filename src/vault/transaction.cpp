#include "vault/transaction.hpp"

namespace muhur::vault {

Result<Transaction> Transaction::begin(Connection& connection) {
  MUHUR_CHECK(connection.run("BEGIN IMMEDIATE"));
  return Transaction(&connection);
}

Result<Transaction> Transaction::begin_read(Connection& connection) {
  if (connection.in_transaction()) return Transaction(nullptr);
  MUHUR_CHECK(connection.run("BEGIN"));
  return Transaction(&connection);
}

// SQLite may have rolled back by itself (disk full, I/O error): then there is nothing left to undo.
Transaction::~Transaction() {
  if (connection_ && connection_->in_transaction()) (void)connection_->run("ROLLBACK");
}

Result<void> Transaction::commit() {
  Connection* const connection = std::exchange(connection_, nullptr);
  if (!connection) return {};
  Result<void> committed = connection->run("COMMIT");
  if (!committed && connection->in_transaction()) (void)connection->run("ROLLBACK");
  return committed;
}

// All savepoints share one name: SQLite takes the innermost, and these nest as C++ objects do.
Result<Savepoint> Savepoint::begin(Connection& connection) {
  MUHUR_CHECK(connection.run("SAVEPOINT muhur"));
  return Savepoint(&connection);
}

Savepoint::~Savepoint() {
  if (!connection_ || !connection_->in_transaction()) return;
  (void)connection_->run("ROLLBACK TO muhur");
  (void)connection_->run("RELEASE muhur");
}

Result<void> Savepoint::release() {
  MUHUR_CHECK(connection_->run("RELEASE muhur"));
  connection_ = nullptr;
  return {};
}

}  // namespace muhur::vault
