// A connection to an engine, its transactions and time limits. One thread at a time uses a
// connection.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/sql/limits.h"
#include "lib/sql/statement.h"

namespace sql {

// A row whose stored checksum does not match its values.
struct UnsoundRow {
  std::string table;
  int64_t rowid = 0;
};

class Database {
 public:
  virtual ~Database() = default;

  // `sql` is a literal of this program, in the SQL that both engines run; values are always bound.
  // Each connection caches compiled statements by text; the destructor of the returned handle
  // resets the statement.
  virtual base::Result<Statement> Prepare(std::string_view sql) = 0;
  virtual base::Status Execute(const char* script) = 0;  // statements without values
  virtual int64_t Changes() const = 0;                   // rows that the last statement changed
  // A snapshot for reads, until EndReading: without changes, and not inside of a Transaction.
  virtual base::Status BeginReading() = 0;
  virtual base::Status EndReading() = 0;
  // Bytes that the rows of this connection's tenant take; 0: the engine does not count them.
  virtual base::Result<int64_t> UsedBytes() { return int64_t{0}; }
  // Whether rows have a full-text index of the engine (FTS5), which their writes maintain.
  virtual bool HasFullTextIndex() const { return false; }
  // The rows that row_is_sound rejected on this connection since the last call.
  virtual std::vector<UnsoundRow> TakeUnsoundRows() { return {}; }

  // Reads end with kTimeout `milliseconds` from now, or when `stop` is requested; 0: no deadline.
  // Nested deadlines: TimeLimit.
  void SetDeadline(int64_t milliseconds, std::stop_token stop = {}) {
    limits()->SetDeadline(milliseconds, std::move(stop));
  }
  // For loops between calls: the error of a deadline that is over, if any.
  virtual base::Status WithinLimits() = 0;

 protected:
  Database() = default;
  Database(Database&&) noexcept = default;
  Database& operator=(Database&&) noexcept = default;

 private:
  friend class Transaction;
  friend class TimeLimit;
  virtual const std::shared_ptr<Limits>& limits() const = 0;
  // Transaction, whose depth (0: the outermost) is that of Begin.
  virtual base::Result<int> Begin() = 0;
  virtual base::Status Commit(int depth) = 0;
  virtual void RollBack(int depth) = 0;
};

// During its lifetime, calls on the connection fail with `error` once `milliseconds` have passed
// since its construction, or when `stop` is requested. Enclosing limits apply too, and their errors
// take precedence. Limits are destroyed in reverse order of construction.
class TimeLimit {
 public:
  TimeLimit(Database& database, int64_t milliseconds, std::stop_token stop = {},
            base::Error error = {base::Code::kTimeout, "the deadline of a query is over"})
      : limits_(database.limits()),
        place_(limits_->Push(milliseconds, std::move(stop), std::move(error))) {}
  TimeLimit(TimeLimit&& other) noexcept = default;
  ~TimeLimit() {
    if (limits_) limits_->Pop(place_);
  }
  bool Met() const { return limits_->Met(place_); }  // this limit ended a call

 private:
  std::shared_ptr<Limits> limits_;
  size_t place_;
};

// Begin … Commit; the destructor rolls back what is not committed. Nested: a savepoint. It sees no
// change that another connection commits meanwhile.
class Transaction {
 public:
  static base::Result<Transaction> Begin(Database& database) {
    ASSIGN_OR_RETURN(const int depth, database.Begin());
    return Transaction(database, depth);
  }
  Transaction(Transaction&& other) noexcept
      : database_(std::exchange(other.database_, nullptr)), depth_(other.depth_) {}
  ~Transaction() {
    if (database_) database_->RollBack(depth_);
  }
  // Without an error the changes are durable. After an error the destructor rolls back.
  base::Status Commit() {
    RETURN_IF_ERROR(database_->Commit(depth_));
    database_ = nullptr;
    return {};
  }

 private:
  Transaction(Database& database, int depth) : database_(&database), depth_(depth) {}
  Database* database_;
  int depth_;
};

}  // namespace sql
