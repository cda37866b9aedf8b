#include "vault/salvage_table.hpp"

#include <fmt/format.h>

#include <map>

#include "base/unicode.hpp"
#include "vault/sqlite.hpp"

namespace muhur::vault {
namespace {

// table_xinfo's column "hidden".
enum Hidden : int { kOrdinary = 0, kVirtual = 2, kStored = 3 };

void bind_field(Statement& statement, int index, const Field& field) {
  std::visit(
      [&]<class T>(const T& value) {
        if constexpr (std::is_same_v<T, std::monostate>)
          statement.bind_one(index, nullptr);
        else
          statement.bind_one(index, value);
      },
      field);
}

}  // namespace

std::string quoted_name(std::string_view identifier) {
  std::string out = "\"";
  for (const char c : identifier) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

Result<SalvageTarget> SalvageTarget::of(Connection& target, const std::string& name) {
  SalvageTarget table;
  table.target_ = &target;
  table.name_ = name;
  std::map<std::int64_t, Column> by_id;
  int key_columns = 0;
  std::int64_t integer_key = -1;
  {
    MUHUR_TRY(Statement columns,
              target.prepare("SELECT cid, name, type, pk, hidden FROM pragma_table_xinfo(?)"));
    columns.bind(name);
    while (true) {
      MUHUR_TRY(const bool row, columns.step());
      if (!row) break;
      const int hidden = columns.as<int>(4);
      if (columns.int64(3) > 0) {
        ++key_columns;
        if (equals_ignoring_case(columns.text(2), "INTEGER")) integer_key = columns.int64(0);
      }
      if (hidden == kVirtual) continue;
      by_id[columns.int64(0)] = {std::string(columns.text(1)), hidden == kStored, false};
    }
  }
  MUHUR_TRY(Statement kind,
            target.prepare("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?"));
  MUHUR_TRY(const bool known, kind.bind(name).step());
  table.without_rowid_ = known && kind.int64(0) != 0;
  if (!table.without_rowid_) {
    if (key_columns == 1 && integer_key >= 0) {
      by_id[integer_key].rowid_alias = true;
      table.has_alias_ = true;
    }
    for (auto& [id, column] : by_id) table.stored_.push_back(std::move(column));
    return table;
  }
  // WITHOUT ROWID: the primary key's index is the table, its columns first.
  MUHUR_TRY(Statement order,
            target.prepare("SELECT x.cid FROM pragma_index_list(?) AS l, pragma_index_xinfo(l.name) AS x "
                           "WHERE l.origin = 'pk' ORDER BY x.seqno"));
  order.bind(name);
  while (true) {
    MUHUR_TRY(const bool row, order.step());
    if (!row) return table;
    if (const auto at = by_id.find(order.int64(0)); at != by_id.end()) table.stored_.push_back(at->second);
  }
}

std::string SalvageTarget::sql_for(std::size_t fields) const {
  std::string names, marks;
  const auto add = [&](const std::string& name) {
    names += (names.empty() ? "" : ", ") + name;
    marks += marks.empty() ? "?" : ", ?";
  };
  if (!without_rowid_ && !has_alias_) add("_rowid_");
  for (std::size_t i = 0; i < fields; ++i)
    if (!stored_[i].generated) add(quoted_name(stored_[i].name));
  return fmt::format("INSERT OR IGNORE INTO {}({}) VALUES({})", quoted_name(name_), names, marks);
}

Result<bool> SalvageTarget::insert(std::int64_t rowid, const std::vector<Field>& record) {
  const std::size_t fields = std::min(record.size(), stored_.size());
  MUHUR_TRY(Statement statement, target_->prepare(sql_for(fields)));
  int index = 0;
  if (!without_rowid_ && !has_alias_) statement.bind_int64(++index, rowid);
  for (std::size_t i = 0; i < fields; ++i) {
    if (stored_[i].generated) continue;
    const bool is_rowid = stored_[i].rowid_alias && std::holds_alternative<std::monostate>(record[i]);
    bind_field(statement, ++index, is_rowid ? Field(rowid) : record[i]);
  }
  MUHUR_TRY(const std::int64_t inserted, statement.run_counted());
  return inserted == 1;
}

}  // namespace muhur::vault
