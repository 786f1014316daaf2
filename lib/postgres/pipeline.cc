// The results of what was sent, in its order: waiting for them, their errors, the end of waits.
#include <algorithm>

#include "lib/base/check.h"
#include "lib/postgres/connection.h"
#include "lib/postgres/errors.h"

namespace postgres {

using base::Code;
using base::Error;
using base::Status;

namespace {

// A wait looks at stop tokens so often; they cannot wake a poll.
constexpr int64_t kSliceMs = 10;
constexpr int64_t kCleanUpMs = 1000;

}  // namespace

Status Connection::ReadOne(Patience patience) {
  RETURN_IF_ERROR(Wait(patience));
  ResultHandle result(libpq().PQgetResult(link.get()));
  if (libpq().PQstatus(link.get()) == CONNECTION_BAD) {
    if (result && libpq().PQresultStatus(result.get()) == PGRES_FATAL_ERROR)
      Lose(OneLine(libpq().PQresultErrorMessage(result.get()), dsn->password));
    return LoseLink();
  }
  Take(std::move(result));
  if (broken) return *broken;
  return {};
}

// Until a result can be taken without blocking.
Status Connection::Wait(Patience patience) {
  const int64_t start_ms = NowMs();
  const int64_t commit_ms = scope.commit_ms > 0 ? scope.commit_ms : options.commit_ms;
  int64_t end_ms = start_ms + (patience == Patience::kLimits   ? options.most_wait_ms
                               : patience == Patience::kCommit ? commit_ms
                                                               : kCleanUpMs);
  while (libpq().PQisBusy(link.get()) == 1) {
    int64_t slice_ms = kSliceMs;
    if (patience == Patience::kLimits && !interrupted_) {
      sql::Limits::Limit* over = limits->Over();
      if (over || NowMs() > end_ms) {
        RETURN_IF_ERROR(Interrupt(over));
        continue;
      }
      slice_ms = std::min(slice_ms, std::max<int64_t>(limits->Left(), 1));
    } else if (NowMs() > (interrupted_ ? std::min(end_ms, interrupt_end_ms_) : end_ms)) {
      // A commit may wait for a standby while the server answers others.
      hung = patience != Patience::kCommit;
      Lose(interrupted_ ? "it does not answer, nor end a statement"
           : hung       ? "it does not answer"
                        : "it does not confirm the commit, or waits for a standby");
      return interrupted_ ? *interrupted_ : *broken;
    }
    if (!link.Exchange(slice_ms)) return LoseLink();
  }
  return {};
}

// Cancels the statement that the wait is for. Its result, an error, still comes.
Status Connection::Interrupt(sql::Limits::Limit* over) {
  if (over) over->met = true;
  const bool own = over && !over->error.message.empty();
  interrupted_ = own ? over->error : Error{Code::kTimeout, "the deadline of a statement is over"};
  interrupt_end_ms_ = NowMs() + options.cancel_ms;
  if (link.Cancel(*dsn, host, options.cancel_ms)) {
    interrupt_end_ms_ = NowMs() + options.cancel_ms;
    return {};
  }
  // The server ends the statement itself when it sees that nobody is there
  // (client_connection_check_interval).
  hung = true;
  Lose("it does not answer, nor end a statement");
  return *interrupted_;
}

void Connection::Take(ResultHandle result) {
  CHECK(!expected_.empty());
  Expected& front = expected_.front();
  if (!result) {  // the end of a statement's results
    if (front.cursor) front.cursor->complete_ = true;
    if (front.lock && front.transaction == transaction_) lock_unseen_ = false;
    expected_.pop_front();
    return FrontChanged();
  }
  switch (libpq().PQresultStatus(result.get())) {
    case PGRES_PIPELINE_SYNC:
      flight_error_.reset();
      interrupted_.reset();
      expected_.pop_front();
      return FrontChanged();
    case PGRES_PIPELINE_ABORTED:
      if (front.what == Expected::What::kPrepare) front.variant->sent = false;
      if (front.cursor) front.cursor->error_ = flight_error_;
      return;
    case PGRES_SINGLE_TUPLE:
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK:
      if (front.what == Expected::What::kCommand) Finished(result.get());
      if (front.cursor && libpq().PQntuples(result.get()) > 0)
        front.cursor->results_.push_back(std::move(result));
      return;
    default:
      TakeError(result.get(), front);
  }
}

void Connection::Finished(PGresult* result) {
  commit_tag_ = libpq().PQcmdStatus(result);
  if (commit_tag_.starts_with("INSERT") || commit_tag_.starts_with("UPDATE") ||
      commit_tag_.starts_with("DELETE"))
    changes = std::strtoll(libpq().PQcmdTuples(result), nullptr, 10);
}

void Connection::TakeError(const PGresult* result, const Expected& of) {
  const char* state = libpq().PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* severity = libpq().PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  const bool cancelled = state && std::string_view(state) == "57014" && interrupted_;
  Error why = cancelled ? *interrupted_ : MakeError(result, Server());
  if (of.what == Expected::What::kPrepare) of.variant->sent = false;
  // After a change of its tables, or when the server forgot it, a statement is prepared again.
  const bool outdated = state && of.what == Expected::What::kCommand && IsOutdated(state);
  if (outdated) {
    why.code = Code::kUnavailable;
    of.variant->sent = false;
    of.variant->name = NewName();
  }
  if (of.cursor) of.cursor->error_ = why;
  if (!flight_error_) flight_error_ = why;
  if (of.transaction == transaction_) {
    failed = true;
    if (outdated || (state && IsPassing(state))) passing = true;
    if (of.depth > 0 && !error) {
      error = why;
      error_depth = of.depth;
    }
  }
  if (severity && std::string_view(severity) == "FATAL") Lose(why.message);
}

void Connection::Lose(const std::string& why) {
  if (broken) return;
  broken =
      Error{Code::kUnavailable, "PostgreSQL at " + Server() + ": the connection is lost: " + why};
  for (const Expected& expected : expected_)
    if (expected.cursor) expected.cursor->error_ = interrupted_ ? interrupted_ : broken;
  expected_.clear();
  open_flight_ = false;
  if (committing_) commit_unknown = true;
}

Status Connection::LoseLink() {
  Lose(OneLine(libpq().PQerrorMessage(link.get()), dsn->password));
  return *broken;
}

Status Connection::Settle(Patience patience) {
  if (open_flight_) {
    ++flights;
    Depart();
  }
  while (!expected_.empty()) RETURN_IF_ERROR(ReadOne(patience));
  if (broken) return *broken;
  if (error) return *error;
  return {};
}

}  // namespace postgres
