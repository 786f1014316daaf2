// A libpq connection that never blocks: connecting, sending and waiting have deadlines. Private to
// lib/postgres.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "lib/postgres/dsn.h"
#include "lib/postgres/libpq.h"

namespace postgres {

struct FreeResult {
  void operator()(PGresult* result) const { libpq().PQclear(result); }
};
using ResultHandle = std::unique_ptr<PGresult, FreeResult>;

inline int64_t NowMs() { return base::SystemClock().MonotonicMs(); }

class Link {
 public:
  // `settings`: of the session ("name", "value"). kUnavailable, naming the server and the reason.
  static base::Result<Link> Connect(
      const Dsn& dsn, const Host& host,
      const std::vector<std::pair<std::string, std::string>>& settings, int64_t timeout_ms);
  PGconn* get() const { return connection_.get(); }
  // Sends what is buffered and reads what has come, for `most_ms` at most, or until something came.
  // False: the connection is lost.
  bool Exchange(int64_t most_ms);
  // For an idle connection: false when its server closed it.
  bool LooksAlive();
  // Ends the statement that the server runs for this connection, by pg_cancel_backend over another
  // one: PQcancel waits without a limit for a server that hangs, and does not use TLS.
  base::Status Cancel(const Dsn& dsn, const Host& host, int64_t timeout_ms) const;

 private:
  struct Finish {
    void operator()(PGconn* connection) const { libpq().PQfinish(connection); }
  };
  std::unique_ptr<PGconn, Finish> connection_;
};

}  // namespace postgres
