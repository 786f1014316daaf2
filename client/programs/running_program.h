// A server or sidecar that runs while memory is up: at its last address, with a log file of bounded
// size.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "client/programs/child.h"

namespace client {

// Appends lines; at 4 MiB the file replaces <path>.1.
class BoundedLog {
 public:
  explicit BoundedLog(std::string path) : path_(std::move(path)) {}
  ~BoundedLog();
  void Write(std::string_view line);  // one thread

 private:
  const std::string path_;
  int descriptor_ = -1;
  size_t size_ = 0;
};

class Service {
 public:
  // `argv`: without --listen and --admin. `address`: its last one; empty: any free port.
  Service(std::vector<std::string> argv, std::string log, std::string address)
      : argv_(std::move(argv)), log_(std::move(log)), address_(std::move(address)) {}

  // Returns when the program listens; also restarts an ended one. Call on a long-lived thread (see
  // Child). The error has the last log line.
  base::Status Start();
  void Stop();

  // Any thread.
  bool running() const;
  int exit_code() const;
  std::string address() const;
  std::string url() const { return "http://" + address(); }
  void AskToStop() const;  // SIGTERM, without waiting
  int pid() const;         // 0: never started
  // Asks for GET /health; after two calls in a row without an answer in seconds the program is
  // ended with SIGKILL. One thread. True: it was ended, and no longer runs.
  bool EndIfHung();
  // Of a sidecar: milliseconds since its agents asked it anything; 0 while a request runs. nullopt:
  // it does not say. Any thread.
  std::optional<int64_t> QuietMs() const;

 private:
  base::Status StartAt(const std::string& address);
  std::shared_ptr<Child> child() const;
  const std::vector<std::string> argv_;
  const std::string log_;
  mutable std::mutex mutex_;
  std::string address_, admin_;
  std::shared_ptr<Child> child_;
  int unanswered_ = 0;  // calls of EndIfHung in a row
};

}  // namespace client
