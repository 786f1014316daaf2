// A bearer token that may be rotated under us: projected ServiceAccount tokens change hourly.
#pragma once

#include <string>

#include "lib/base/guarded.h"
#include "lib/base/process/clock.h"

namespace kube {

class TokenSource {
 public:
  // `file` empty: always `fixed`. `clock` must outlive this.
  TokenSource(std::string fixed, std::string file, const base::Clock& clock = base::SystemClock());

  // Read again when the last reading is older than 60 s; when that fails the old token stays. Any
  // thread.
  std::string Token();
  // The server refused the token: read the file at the next call. True when that can help (a file).
  bool Distrust();

 private:
  struct Cached {
    std::string token;
    int64_t read_ms = 0;
    bool fresh = false;
  };
  const std::string file_;
  const base::Clock& clock_;
  base::Guarded<Cached> cached_;
};

}  // namespace kube
