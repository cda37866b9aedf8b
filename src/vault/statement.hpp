#pragma once
// One prepared statement, borrowed from its connection's cache: it goes back, reset and with its
// bindings cleared, when this object ends. Parameters are numbered from 1, columns from 0.
//
//   MUHUR_TRY(auto st, db.prepare("SELECT uid, subject FROM messages WHERE mailbox_id = ?"));
//   st.bind(mailbox);
//   while (true) {
//     MUHUR_TRY(const bool row, st.step());
//     if (!row) break;
//     use(st.int64(0), st.text(1));
//   }
//
// Of its connection's thread only.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "base/error.hpp"

struct sqlite3_stmt;

namespace muhur::vault {

class Connection;

class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  Statement(const Statement&) = delete;
  ~Statement();

  // Binds all parameters in order. Text and bytes are NOT copied: they must live until the last step().
  // A binding that fails (too many, too long) is reported by the next step(). Empty text and empty bytes
  // are empty, never NULL.
  template <class... Args>
  Statement& bind(const Args&... args) {
    int index = 0;
    (bind_one(++index, args), ...);
    return *this;
  }
  template <class T>
    requires std::is_integral_v<T> || std::is_enum_v<T>
  void bind_one(int index, T value) {
    bind_int64(index, static_cast<std::int64_t>(value));
  }
  void bind_one(int index, double value);
  void bind_one(int index, std::string_view text);
  void bind_one(int index, const char* text) { bind_one(index, std::string_view(text)); }
  void bind_one(int index, ByteView bytes);
  void bind_one(int index, const Bytes& bytes) { bind_one(index, ByteView(bytes)); }
  void bind_one(int index, std::nullptr_t);
  template <class T>
  void bind_one(int index, const std::optional<T>& value) {
    if (value)
      bind_one(index, *value);
    else
      bind_one(index, nullptr);
  }
  void bind_int64(int index, std::int64_t value);
  void bind_zeroblob(int index, std::uint64_t size);  // to be filled through vault::Blob

  // true: a row is ready. false: done, and reset: bind() and step() may begin anew. An error leaves the
  // statement reset.
  Result<bool> step();
  // For a statement whose rows nobody wants: steps to the end.
  Result<void> run();
  // Steps to the end and says how many rows an INSERT, UPDATE or DELETE changed.
  Result<std::int64_t> run_counted();
  void reset();

  bool is_null(int column) const;
  std::int64_t int64(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;  // until the next step() or reset()
  ByteView blob(int column) const;          // likewise
  template <class T>
  T as(int column) const {
    return static_cast<T>(int64(column));
  }

 private:
  friend class Connection;
  Statement(Connection* owner, sqlite3_stmt* handle) : owner_(owner), handle_(handle) {}
  Result<bool> fail_step(int rc);
  void note_binding(int rc) {
    if (binding_ == 0) binding_ = rc;
  }
  void finish();
  Connection* owner_;
  sqlite3_stmt* handle_;
  int binding_ = 0;  // the first failed binding's result
  bool running_ = false;
  std::chrono::steady_clock::time_point began_{};
};

}  // namespace muhur::vault
