// A prepared statement with its values: what code above engines binds, steps and reads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/base/result.h"

namespace sql {

// A compiled statement of an engine, which lends it to one Statement at a time. Parameters count
// from 1, columns from 0.
class Cursor {
 public:
  virtual void BindInt(int parameter, int64_t value) = 0;
  virtual void BindReal(int parameter, double value) = 0;
  virtual void BindText(int parameter, std::string_view text) = 0;   // copied
  virtual void BindBlob(int parameter, std::string_view bytes) = 0;  // copied
  virtual void BindNull(int parameter) = 0;
  // Lets it run before somebody waits for its rows, which are few; an error comes with Step.
  virtual void Send() {}
  virtual base::Result<bool> Step() = 0;  // true: a row is available
  virtual int Columns() const = 0;
  virtual bool IsNull(int column) const = 0;
  virtual bool IsBlob(int column) const = 0;
  virtual bool IsReal(int column) const = 0;
  virtual bool IsInt(int column) const = 0;  // also of a truth value
  virtual int64_t Int(int column) const = 0;
  virtual double Real(int column) const = 0;
  // Bytes as stored, valid until the next step; NULL: empty.
  virtual std::string_view Text(int column) const = 0;
  virtual void GiveBack() = 0;  // resets it and forgets its values

 protected:
  ~Cursor() = default;  // of the engine's cache
};

// Bind in order, then Step (rows) or Run (no rows). One thread.
class Statement {
 public:
  // `connection` keeps the cursor.
  Statement(Cursor& cursor, std::shared_ptr<const void> connection)
      : connection_(std::move(connection)), cursor_(&cursor) {}
  Statement(Statement&& other) noexcept
      : connection_(std::move(other.connection_)),
        cursor_(std::exchange(other.cursor_, nullptr)),
        next_(other.next_) {}
  Statement& operator=(Statement&&) = delete;
  ~Statement() {
    if (cursor_) cursor_->GiveBack();
  }

  Statement& Bind(int64_t value) {
    cursor_->BindInt(next_++, value);
    return *this;
  }
  Statement& Bind(double value) {
    cursor_->BindReal(next_++, value);
    return *this;
  }
  Statement& Bind(std::string_view text) {
    cursor_->BindText(next_++, text);
    return *this;
  }
  Statement& Bind(const char* text) { return Bind(std::string_view(text)); }
  Statement& Bind(const std::string& text) { return Bind(std::string_view(text)); }
  Statement& Bind(const std::optional<std::string>& text) {  // nullopt: NULL
    return text ? Bind(std::string_view(*text)) : BindNull();
  }
  Statement& Bind(std::optional<int64_t> value) { return value ? Bind(*value) : BindNull(); }
  Statement& BindNull() {
    cursor_->BindNull(next_++);
    return *this;
  }
  Statement& BindBlob(std::string_view bytes) {
    cursor_->BindBlob(next_++, bytes);
    return *this;
  }
  // Binds the columns of the current row of `from`, from column `first` on, with their types.
  Statement& BindRow(const Statement& from, int first);

  // Of several reads that do not depend on each other: sent before the first one is stepped, they
  // share one round trip of an engine that has round trips.
  Statement& Send() {
    cursor_->Send();
    return *this;
  }
  base::Result<bool> Step() { return cursor_->Step(); }  // true: a row is available
  base::Status Run();                                    // steps to the end and ignores rows

  // Steps to the end and calls `on_row(const Statement&)` for each row. `on_row` returns void; or a
  // Status, whose error ends the loop; or a bool or Result<bool>, of which false ends the loop too.
  template <class OnRow>
  base::Status ForEachRow(OnRow&& on_row);
  // `read(const Statement&)` of each row.
  template <class Read>
  auto ReadAll(Read&& read);  // → Result<std::vector<T>>
  // `read` of the first row; nullopt without a row. Later rows are not stepped to: a statement with
  // RETURNING applies its change at the end and needs Run() afterwards.
  template <class Read>
  auto ReadFirst(Read&& read);  // → Result<std::optional<T>>

  int64_t Int(int column) const { return cursor_->Int(column); }
  double Real(int column) const { return cursor_->Real(column); }
  std::string Text(int column) const { return std::string(cursor_->Text(column)); }
  std::optional<std::string> OptionalText(int column) const {
    if (IsNull(column)) return std::nullopt;
    return Text(column);
  }
  bool IsNull(int column) const { return cursor_->IsNull(column); }

 private:
  std::shared_ptr<const void> connection_;
  Cursor* cursor_;
  int next_ = 1;
};

template <class OnRow>
base::Status Statement::ForEachRow(OnRow&& on_row) {
  using Answer = std::invoke_result_t<OnRow&, const Statement&>;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, Step());
    if (!row) return {};
    if constexpr (std::is_void_v<Answer>) {
      on_row(*this);
    } else if constexpr (std::is_same_v<Answer, base::Status>) {
      RETURN_IF_ERROR(on_row(*this));
    } else {
      ASSIGN_OR_RETURN(const bool more, base::Result<bool>(on_row(*this)));
      if (!more) return {};
    }
  }
}

template <class Read>
auto Statement::ReadAll(Read&& read) {
  using Rows = std::vector<std::invoke_result_t<Read&, const Statement&>>;
  Rows rows;
  base::Status ended = ForEachRow([&](const Statement& row) { rows.push_back(read(row)); });
  return ended ? base::Result<Rows>(std::move(rows)) : base::Result<Rows>(ended.error());
}

template <class Read>
auto Statement::ReadFirst(Read&& read) {
  using First = std::optional<std::invoke_result_t<Read&, const Statement&>>;
  base::Result<bool> row = Step();
  if (!row) return base::Result<First>(row.error());
  return base::Result<First>(*row ? First(read(*this)) : First());
}

}  // namespace sql
