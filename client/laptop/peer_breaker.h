// The circuit breaker between hooks and the processes they ask, the supervisor and a repository's
// sidecar. Each hook is a process of its own, so the state is a file: a peer that did not answer
// costs one short wait, then next to none for a minute.
#pragma once

#include <cstdint>
#include <string>

#include "client/laptop/home.h"

namespace client {

class PeerBreaker {
 public:
  // `peer`: a file name, "supervisor" or the key of a repository (RepositoryKey).
  PeerBreaker(const Home& home, const std::string& peer);

  int64_t probe_ms() const;     // how long an answer may take now
  bool is_open() const;         // it did not answer within the last minute
  bool is_long_silent() const;  // it does not answer for so long that it is hung, not busy
  // Keeps the time of the first failure of a minute; errors of the file are ignored: the next hook
  // waits again.
  void NoteSilent() const;
  void NoteAnswer() const;

 private:
  const std::string file_;
  int64_t silent_since_ms_ = -1;  // CLOCK_BOOTTIME; -1: it answered
};

// Whether a thread of the process runs or waits for a processor or a disk: it may be slow, it is
// not hung.
bool IsBusy(int pid);

// Ends a supervisor that does not answer with SIGKILL; its children end with it. kNotFound: none is
// running.
base::Status EndHungSupervisor(const Home& home);

}  // namespace client
