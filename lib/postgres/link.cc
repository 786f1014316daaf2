// Waiting by poll on libpq's socket.
#include "lib/postgres/link.h"

#include <poll.h>

#include <algorithm>

#include "lib/base/process/clock.h"
#include "lib/postgres/errors.h"

namespace postgres {

using base::Code;
using base::Error;
using base::Result;

namespace {

constexpr int kOldestServer = 140000;

void Poll(PGconn* connection, short events, int64_t most_ms) {
  pollfd socket = {libpq().PQsocket(connection), events, 0};
  poll(&socket, 1, static_cast<int>(std::clamp<int64_t>(most_ms, 0, 60'000)));
}

// Settings of a session as libpq's `options`; blanks and backslashes are escaped.
std::string Options(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::string options;
  for (const auto& [name, value] : settings) {
    options += " -c " + name + "=";
    for (const char c : value) {
      if (c == ' ' || c == '\\') options += '\\';
      options += c;
    }
  }
  return options;
}

}  // namespace

Result<Link> Link::Connect(const Dsn& dsn, const Host& host,
                           const std::vector<std::pair<std::string, std::string>>& settings,
                           int64_t timeout_ms) {
  const std::string options = Options(settings);
  Dsn::Parameters to = dsn.For(host);
  const auto add = [&](const char* key, const char* value) {
    to.keys.push_back(key);
    to.values.push_back(value);
  };
  add("options", options.c_str());
  add("client_encoding", "UTF8");
  add("fallback_application_name", "agent-memory");
  add(nullptr, nullptr);

  const auto fail = [&](const std::string& why) {
    return Error{Code::kUnavailable, "PostgreSQL at " + dsn.Describe(host) + ": " + why};
  };
  const int64_t end_ms = NowMs() + timeout_ms;
  Link link;
  link.connection_.reset(libpq().PQconnectStartParams(to.keys.data(), to.values.data(), 0));
  PGconn* connection = link.get();
  if (!connection) return fail("no memory for a connection");
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  while (next != PGRES_POLLING_OK) {
    if (next == PGRES_POLLING_FAILED || libpq().PQstatus(connection) == CONNECTION_BAD)
      return fail(OneLine(libpq().PQerrorMessage(connection), dsn.password));
    const int64_t left_ms = end_ms - NowMs();
    if (left_ms <= 0) return fail("no connection within " + std::to_string(timeout_ms) + " ms");
    Poll(connection, next == PGRES_POLLING_READING ? POLLIN : POLLOUT, left_ms);
    next = libpq().PQconnectPoll(connection);
  }
  if (libpq().PQserverVersion(connection) < kOldestServer)
    return fail("version " + std::to_string(libpq().PQserverVersion(connection) / 10000) +
                " is too old: 14 or later is needed");
  libpq().PQsetnonblocking(connection, 1);
  return link;
}

bool Link::Exchange(int64_t most_ms) {
  const int rest = libpq().PQflush(get());
  if (rest < 0) return false;
  pollfd socket = {libpq().PQsocket(get()), static_cast<short>(POLLIN | (rest > 0 ? POLLOUT : 0)),
                   0};
  if (poll(&socket, 1, static_cast<int>(most_ms)) <= 0) return true;
  if ((socket.revents & ~POLLOUT) != 0) return libpq().PQconsumeInput(get()) == 1;
  return true;
}

bool Link::LooksAlive() {
  if (libpq().PQstatus(get()) != CONNECTION_OK) return false;
  // The server's last words may stand before the end: the end is asked for by itself.
  pollfd socket = {libpq().PQsocket(get()), POLLIN | POLLRDHUP, 0};
  if (poll(&socket, 1, 0) <= 0) return true;
  if ((socket.revents & ~POLLIN) != 0) return false;
  return libpq().PQconsumeInput(get()) == 1 && libpq().PQstatus(get()) == CONNECTION_OK;
}

base::Status Link::Cancel(const Dsn& dsn, const Host& host, int64_t timeout_ms) const {
  const int64_t end_ms = NowMs() + timeout_ms;
  ASSIGN_OR_RETURN(Link other, Connect(dsn, host, {}, timeout_ms));
  const std::string sql =
      "SELECT pg_cancel_backend(" + std::to_string(libpq().PQbackendPID(get())) + ")";
  bool sent = libpq().PQsendQuery(other.get(), sql.c_str()) == 1;
  while (sent && NowMs() < end_ms) {
    if (libpq().PQisBusy(other.get()) == 0) {
      ResultHandle done(libpq().PQgetResult(other.get()));
      if (libpq().PQresultStatus(done.get()) == PGRES_TUPLES_OK) return {};
      break;
    }
    sent = other.Exchange(end_ms - NowMs());
  }
  return Error{Code::kUnavailable, "a statement could not be ended"};
}

}  // namespace postgres
