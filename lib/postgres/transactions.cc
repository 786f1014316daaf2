// Transactions and savepoints in the flights of their statements; the outcome of COMMIT.
#include "lib/base/check.h"
#include "lib/postgres/connection.h"
#include "lib/postgres/errors.h"

namespace postgres {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

Result<int> Connection::Begin() {
  if (broken) return *broken;
  if (error) return *error;
  RETURN_IF_ERROR(WithinLimits());
  if (depth > 0) {
    RETURN_IF_ERROR(SendOwn("SAVEPOINT s" + std::to_string(depth)));
    return depth++;
  }
  commit_unknown = passing = failed = false;
  depth = 1;
  transaction_open_ = true;
  const Status sent = [&]() -> Status {
    RETURN_IF_ERROR(SendOwn(scope.writing ? "BEGIN ISOLATION LEVEL READ COMMITTED"
                                          : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
    RETURN_IF_ERROR(SendSettings());
    if (scope.lock.empty()) return {};
    std::vector<Parameter> values;
    for (const std::string& value : scope.lock_values) values.push_back({kText, value});
    RETURN_IF_ERROR(SendOwn(scope.lock, values));
    expected_.back().lock = lock_unseen_ = scope.writing;
    return {};
  }();
  if (sent) return 0;
  EndTransaction();
  return sent.error();
}

Status Connection::Commit(int at) {
  CHECK(depth == at + 1);
  if (broken) return *broken;
  if (error) return *error;
  if (at == 0) return CommitOutermost();
  RETURN_IF_ERROR(SendOwn("RELEASE s" + std::to_string(at)));
  // The flight ends here: an error of a statement in the savepoint must not surface behind it.
  if (!lazy) RETURN_IF_ERROR(Settle(Patience::kLimits));
  depth = at;
  return {};
}

Status Connection::CommitOutermost() {
  if (!scope.writing) {  // nothing depends on its outcome: the next wait reads it
    RollBack(0);
    return {};
  }
  // The wait for a lock may be cancelled, COMMIT may not: they share no flight.
  if (lock_unseen_) RETURN_IF_ERROR(Settle(Patience::kLimits));
  warned = false;
  committing_ = true;
  Status settled = SendOwn("COMMIT");
  if (settled) settled = Settle(Patience::kCommit);
  committing_ = false;
  const auto unknown = [&](const std::string& why) {
    commit_unknown = true;
    return Error{Code::kUnavailable,
                 "the outcome of the commit is unknown, it may have happened: " + why};
  };
  if (broken) return unknown(broken->message);
  if (!settled) return settled.error();  // the server refused: nothing was kept
  transaction_open_ = false;
  if (commit_tag_ != "COMMIT")
    return Error{Code::kUnavailable,
                 "PostgreSQL at " + Server() + ": the transaction was rolled back"};
  if (warned) return unknown("the server warned, as it does when it stops waiting for a standby");
  EndTransaction();
  return {};
}

void Connection::RollBack(int at) {
  if (at == 0) {
    // Rows that nobody reads any more, of a stream.
    if (!expected_.empty()) (void)Settle(Patience::kCleanUp);
    if (!broken && transaction_open_) {
      Depart();  // an error in a flight would skip the ROLLBACK
      (void)SendOwn("ROLLBACK");
      Depart();
      if (!broken && !link.Exchange(0)) (void)LoseLink();
    }
    return EndTransaction();
  }
  // What failed must be known: after an error in its flight the server skips the rollback too.
  if (open_flight_ || !expected_.empty()) (void)Settle(Patience::kLimits);
  depth = at;
  if (broken || (error && error_depth <= at)) return;  // an outer rollback comes
  error.reset();
  const std::string name = "s" + std::to_string(at);
  (void)SendOwn("ROLLBACK TO " + name);
  (void)SendOwn("RELEASE " + name);
}

void Connection::EndTransaction() {
  depth = 0;
  error.reset();
  ++transaction_;
  transaction_open_ = lock_unseen_ = false;
}

}  // namespace postgres
