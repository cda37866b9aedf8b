#pragma once
// Rolled back unless committed. Under 100 lines on purpose: begin in begin(), rollback in the destructor.

#include <utility>

#include "vault/connection.hpp"

namespace muhur::vault {

class Transaction {
 public:
  // IMMEDIATE: takes the write lock now, so that a later write does not fail with "busy".
  static Result<Transaction> begin(Connection& connection);
  // DEFERRED: one snapshot for several reads. Inside a transaction (Database::read) it joins that one.
  static Result<Transaction> begin_read(Connection& connection);
  Transaction(Transaction&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  // On failure the transaction is rolled back.
  Result<void> commit();

 private:
  explicit Transaction(Connection* connection) : connection_(connection) {}
  Connection* connection_;
};

// A part of a transaction that can be undone alone.
class Savepoint {
 public:
  static Result<Savepoint> begin(Connection& connection);
  Savepoint(Savepoint&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  Savepoint& operator=(Savepoint&&) = delete;
  ~Savepoint();  // rolls back to it unless released
  Result<void> release();

 private:
  explicit Savepoint(Connection* connection) : connection_(connection) {}
  Connection* connection_;
};

}  // namespace muhur::vault
