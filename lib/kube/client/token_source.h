// A bearer token from a file that is rotated: projected ServiceAccount tokens change hourly.
#pragma once

#include <string>

#include "lib/base/guarded.h"
#include "lib/base/process/clock.h"

namespace kube {

class TokenSource {
 public:
  // `file` empty: always `fixed`. `clock` must outlive this.
  TokenSource(std::string fixed, std::string file, const base::Clock& clock = base::SystemClock());

  // Reads the file again if the last read is older than 60 s; an unreadable or empty file keeps the
  // old token. Any thread.
  std::string Token();
  // After a 401: Token() reads the file again. False: no file, so a retry is useless.
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
