// The public face of a connection.
#include "lib/postgres/database.h"

#include "lib/base/check.h"
#include "lib/postgres/connection.h"

namespace postgres {

using base::Result;
using base::Status;

Database::Database(std::shared_ptr<Connection> connection)
    : connection_(std::move(connection)), server_(connection_->Server()) {}

Result<Database> Database::Connect(std::shared_ptr<const Dsn> dsn, const Host& host,
                                   const DatabaseOptions& options) {
  Settings session = {{"standard_conforming_strings", "on"},
                      // A statement whose program is gone ends, and so does a transaction that a
                      // program forgot: both keep locks.
                      {"client_connection_check_interval", "1000"},
                      {"idle_in_transaction_session_timeout",
                       std::to_string(options.most_wait_ms + options.commit_ms)}};
  session.insert(session.end(), options.session.begin(), options.session.end());
  ASSIGN_OR_RETURN(Link link, Link::Connect(*dsn, host, session, options.connect_ms));
  return Database(std::make_shared<Connection>(std::move(link), std::move(dsn), host, options));
}

void Database::Use(Scope scope) {
  CHECK(connection_->depth == 0);
  connection_->scope = std::move(scope);
}

Result<Statement> Database::Prepare(std::string_view sql) {
  ASSIGN_OR_RETURN(Query* const text, connection_->Find(sql, true));
  return Statement(*connection_->Lend(*text), connection_);
}

Status Database::Execute(const char* script) { return connection_->RunScript(script); }

int64_t Database::Changes() const {
  return connection_->Settle(Patience::kLimits) ? connection_->changes : 0;
}

Status Database::BeginReading() {
  const Result<int> begun = Begin();
  return begun ? Status() : Status(begun.error());
}

Status Database::EndReading() {
  RollBack(0);
  return {};
}

Status Database::WithinLimits() { return connection_->WithinLimits(); }
bool Database::Broken() const { return connection_->broken.has_value(); }
bool Database::LooksAlive() { return !Broken() && connection_->link.LooksAlive(); }
bool Database::CommitUnknown() const { return connection_->commit_unknown; }
bool Database::Passing() const { return connection_->passing; }
void Database::ReleaseLate(bool late) { connection_->lazy = late; }
bool Database::StatementFailed() const { return connection_->failed; }
bool Database::Hung() const { return connection_->hung; }
int64_t Database::Flights() const { return connection_->flights; }
int Database::Backend() const { return libpq().PQbackendPID(connection_->link.get()); }
const std::shared_ptr<sql::Limits>& Database::limits() const { return connection_->limits; }
Result<int> Database::Begin() { return connection_->Begin(); }
Status Database::Commit(int depth) { return connection_->Commit(depth); }
void Database::RollBack(int depth) { connection_->RollBack(depth); }

}  // namespace postgres
