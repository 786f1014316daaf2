// The state that a Database and its cursors share: the pipeline, statements by text, transactions.
// Private to lib/postgres.
//
// Everything is sent in pipeline mode. A flight is what is sent until somebody waits; it ends with
// a Sync. Statements without rows inside of a transaction only join the flight, and their error
// surfaces at the next wait: a statement with rows, the end of a savepoint, or COMMIT.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/postgres/dialect.h"
#include "lib/postgres/link.h"
#include "lib/postgres/session.h"
#include "lib/postgres/values.h"
#include "lib/sql/database.h"

namespace postgres {

struct Connection;
struct Query;

class PgCursor final : public sql::Cursor {
 public:
  PgCursor(Connection& connection, Query& text) : connection_(connection), text_(text) {}
  PgCursor(const PgCursor&) = delete;
  PgCursor& operator=(const PgCursor&) = delete;
  ~PgCursor() = default;
  void BindInt(int parameter, int64_t value) override { At(parameter) = IntParameter(value); }
  void BindReal(int parameter, double value) override { At(parameter) = RealParameter(value); }
  void BindText(int parameter, std::string_view text) override {
    At(parameter) = {kText, std::string(text)};
  }
  void BindBlob(int parameter, std::string_view bytes) override {
    At(parameter) = {kBytea, std::string(bytes)};
  }
  void BindNull(int parameter) override { At(parameter) = {}; }
  void Send() override;
  base::Result<bool> Step() override;
  int Columns() const override;
  bool IsNull(int column) const override;
  bool IsBlob(int column) const override { return !IsNull(column) && TypeAt(column) == kBytea; }
  bool IsReal(int column) const override { return NumberAt(column) && !IsInt(column); }
  bool IsInt(int column) const override {
    return NumberAt(column).value_or(Number()).whole.has_value();
  }
  int64_t Int(int column) const override;
  double Real(int column) const override;
  std::string_view Text(int column) const override;
  void GiveBack() override;

 private:
  friend struct Connection;
  Parameter& At(int parameter);
  std::optional<Number> NumberAt(int column) const;
  std::string_view Bytes(int column) const;
  unsigned TypeAt(int column) const;
  base::Status Start();
  base::Status StartAlone();
  base::Status Await();
  Connection& connection_;
  Query& text_;
  std::vector<Parameter> parameters_;
  bool started_ = false, complete_ = false, ahead_ = false;
  std::optional<base::Error> error_;
  std::deque<ResultHandle> results_;         // the first one has the current row
  int row_ = -1;                             // of it
  mutable std::deque<std::string> written_;  // numbers that were asked for as text
};

// A statement as the server knows it under `name`, for one list of types.
struct Variant {
  std::vector<Oid> types;  // 0: never bound to a value yet, so that the server infers it
  std::string name;
  bool sent = false;
};

struct Query {
  std::string sql;  // translated
  Shape shape;
  std::deque<Variant> variants;
  std::vector<std::unique_ptr<PgCursor>> cursors;
  std::vector<PgCursor*> idle;
};

// What ends a wait.
enum class Patience {
  kLimits,   // the limits of the connection: then the statement is cancelled
  kCommit,   // nothing but the commit's own deadline: then the outcome is unknown
  kCleanUp,  // a second: then the connection is given up
};

struct Connection {
  Connection(Link to, std::shared_ptr<const Dsn> dsn, Host host, const DatabaseOptions& options);

  base::Result<Query*> Find(std::string_view sql, bool translate);
  PgCursor* Lend(Query& text);
  // Adds the statement to the flight. `cursor` (or nobody) gets its rows.
  base::Status Send(Query& text, const std::vector<Parameter>& parameters, PgCursor* cursor,
                    bool stream = false);
  base::Status SendOwn(const std::string& sql, const std::vector<Parameter>& parameters = {});
  base::Status SendSettings();
  void Depart();                            // ends the flight with a Sync and sends it
  base::Status ReadOne(Patience patience);  // the next result
  base::Status Settle(Patience patience);   // the results of all that was sent; then error
  base::Status WithinLimits();
  base::Status RunScript(const char* script);

  base::Result<int> Begin();
  base::Status Commit(int depth);
  void RollBack(int depth);

  std::string Server() const { return dsn->Describe(host); }

  Link link;
  const std::shared_ptr<const Dsn> dsn;
  const Host host;
  const DatabaseOptions options;
  std::shared_ptr<sql::Limits> limits;
  Scope scope;

  int depth = 0;                      // of nested transactions
  std::optional<base::Error> error;   // of a statement in the transaction, until its rollback
  int error_depth = 0;                // the depth at which it was sent
  std::optional<base::Error> broken;  // the connection is of no use any more
  // Of the last outermost transaction.
  bool commit_unknown = false, passing = false, failed = false;
  bool lazy = false;    // the end of a savepoint does not wait
  bool hung = false;    // it was given up because the server did not answer
  bool warned = false;  // the server sent a WARNING
  int64_t changes = 0, flights = 0;

 private:
  struct Expected {
    enum class What { kPrepare, kCommand, kSync } what;
    PgCursor* cursor = nullptr;
    Variant* variant = nullptr;
    int depth = 0;
    uint64_t transaction = 0;
    bool stream = false, lock = false;
  };
  friend class PgCursor;
  Variant& VariantFor(Query& text, const std::vector<Parameter>& parameters);
  std::string NewName() { return "s" + std::to_string(++names_); }
  void Expect(Expected expected);
  void FrontChanged();
  base::Status Wait(Patience patience);
  base::Status Interrupt(sql::Limits::Limit* over);
  void Take(ResultHandle result);
  void Finished(PGresult* result);
  void TakeError(const PGresult* result, const Expected& of);
  void Lose(const std::string& why);
  base::Status LoseLink();  // for libpq's reason → that
  base::Status CommitOutermost();
  void EndTransaction();

  std::deque<Expected> expected_;
  bool open_flight_ = false;                 // something was sent since the last Sync
  std::optional<base::Error> flight_error_;  // of the flight that is read
  std::optional<base::Error> interrupted_;   // why the statement of this wait was cancelled
  int64_t interrupt_end_ms_ = 0;             // until then its error comes, or the server hangs
  bool lock_unseen_ = false;                 // the scope's lock was sent, and its result not read
  bool committing_ = false;
  std::string commit_tag_;
  uint64_t transaction_ = 1;
  bool transaction_open_ = false;
  int names_ = 0;
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::unique_ptr<Query>, Hash, std::equal_to<>> texts_;
  int lent_ = 0;
};

}  // namespace postgres
