// The address of a server, from a file: a libpq URI ("postgresql://…", as CloudNativePG's secrets
// have under the key `uri`) or key=value text. No function prints a password or the text itself.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/result.h"

namespace postgres {

struct Host {
  std::string name, address, port;  // `address` (hostaddr): the one to connect to, if it is given
  bool IsLocal() const;             // a unix socket, localhost, 127.0.0.0/8 or ::1
};

struct Dsn {
  std::vector<Host> hosts;  // never empty; tried in order
  std::string user, database, password;
  // The other parameters of libpq, sslmode and target_session_attrs always among them.
  std::vector<std::pair<std::string, std::string>> others;
  std::string warning;  // "": the connection is as safe as by default

  // kInvalid, naming the field: it is missing, given by half, or unknown. Nothing is taken from the
  // environment, from a service file or from libpq's defaults. Off loopback sslmode is verify-full
  // unless the text says otherwise.
  static base::Result<Dsn> Parse(std::string_view text);
  // "host:port, database d, user u", for messages.
  std::string Describe(const Host& host) const;
  // Keys and values for PQconnectStartParams, both ended by null; valid as long as this and `host`.
  struct Parameters {
    std::vector<const char*> keys, values;
  };
  Parameters For(const Host& host) const;
};

// Reads the file again when it changed. Any thread.
class DsnFile {
 public:
  explicit DsnFile(std::string path) : path_(std::move(path)) {}
  // The content now. After a change for the worse: its error, never the address of before.
  base::Result<std::shared_ptr<const Dsn>> Current();

 private:
  struct Stamp {
    int64_t seconds = 0, nanoseconds = 0;
    uint64_t inode = 0;
    int64_t bytes = -1;
    bool operator==(const Stamp&) const = default;
  };
  const std::string path_;
  std::mutex mutex_;
  Stamp read_at_;
  base::Result<std::shared_ptr<const Dsn>> last_ = std::shared_ptr<const Dsn>();
};

}  // namespace postgres
