// A connection to a PostgreSQL server. One thread at a time uses it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "lib/postgres/dsn.h"
#include "lib/postgres/session.h"
#include "lib/sql/database.h"

namespace postgres {

struct Connection;  // connection.h
using sql::Statement;
using sql::TimeLimit;
using sql::Transaction;

// Errors: kConflict for a constraint; kTimeout for a limit; kFull; kUnavailable, naming the server,
// when it is away, refuses or only reads; kInternal.
class Database final : public sql::Database {
 public:
  static base::Result<Database> Connect(std::shared_ptr<const Dsn> dsn, const Host& host,
                                        const DatabaseOptions& options = {});

  // From the next transaction on. Not inside of one.
  void Use(Scope scope);
  // Statements are translated (dialect.h). Those that change rows belong into a transaction; a
  // single one outside gets its own.
  base::Result<Statement> Prepare(std::string_view sql) override;
  // PostgreSQL's own notation, not translated, and without the scope's settings.
  base::Status Execute(const char* script) override;
  int64_t Changes() const override;  // waits for the statement
  base::Status WithinLimits() override;
  // With a scope that does not write.
  base::Status BeginReading() override;
  base::Status EndReading() override;

  bool Broken() const;  // the connection is lost or given up: of no use any more
  bool LooksAlive();    // of an idle one
  // COMMIT was sent, and its outcome is not known: the connection was lost, or the server warned
  // (a wait for a standby that ended early). Until the next transaction.
  bool CommitUnknown() const;
  bool Passing() const;  // the transaction failed, and may succeed when it runs again
  // Savepoints end without a wait: an error of theirs may surface behind them. After one
  // (StatementFailed) the whole transaction must be rolled back.
  void ReleaseLate(bool late);
  bool StatementFailed() const;  // since the outermost Begin
  bool Hung() const;             // Broken, because the server did not answer
  int64_t Flights() const;       // round trips since the connection was made
  int Backend() const;           // the process id of the server's side
  const std::string& Server() const { return server_; }  // "host:port, database d, user u"

 private:
  explicit Database(std::shared_ptr<Connection> connection);
  const std::shared_ptr<sql::Limits>& limits() const override;
  base::Result<int> Begin() override;
  base::Status Commit(int depth) override;
  void RollBack(int depth) override;
  std::shared_ptr<Connection> connection_;
  std::string server_;
};

}  // namespace postgres
