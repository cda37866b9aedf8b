#pragma once
// One table of a salvaged database: how its stored records become rows of the new one. Private to the vault.

#include <cstdint>
#include <string>
#include <vector>

#include "vault/connection.hpp"
#include "vault/record.hpp"

namespace muhur::vault {

class SalvageTarget {
 public:
  // `name` exists in `target` already. Asks SQLite in which order its columns are stored.
  static Result<SalvageTarget> of(Connection& target, const std::string& name);

  bool without_rowid() const { return without_rowid_; }
  std::size_t stored_columns() const { return stored_.size(); }

  // false: the row is there already (a key came twice). Fields beyond the record's end (columns added
  // later) take their defaults.
  Result<bool> insert(std::int64_t rowid, const std::vector<Field>& record);

 private:
  struct Column {
    std::string name;
    bool generated = false;    // stored, but SQLite computes it
    bool rowid_alias = false;  // INTEGER PRIMARY KEY: stored as NULL
  };
  std::string sql_for(std::size_t fields) const;

  Connection* target_ = nullptr;
  std::string name_;
  std::vector<Column> stored_;  // in the order of the record
  bool without_rowid_ = false;
  bool has_alias_ = false;
};

std::string quoted_name(std::string_view identifier);

}  // namespace muhur::vault
