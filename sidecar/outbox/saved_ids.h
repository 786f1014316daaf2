// The ids that delivered memories got, until the model reads them: the server gives an id after the
// hook was answered. In memory, and bounded: what is lost is one line of a prompt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "lib/base/guarded.h"
#include "sidecar/outbox/outbox.h"

namespace sidecar {

struct SavedId {
  int64_t id = 0;
  std::string title;
};

// Any thread.
class SavedIds {
 public:
  static constexpr size_t kMost = 256;         // of all sessions; the oldest go first
  static constexpr size_t kMostOfAPrompt = 5;  // the newest

  // Keeps the id that `answer`, the server's body, has for the row. Only of memories that a model
  // might save again: the user's, the agent's own, and commits.
  void Add(const OutboxRow& row, const std::string& answer);
  // Removes and returns the ids of a session in their order: each is returned once.
  std::vector<SavedId> Drain(const std::string& session);

 private:
  struct Entry {
    std::string session;
    SavedId saved;
  };
  base::Guarded<std::deque<Entry>> entries_;
};

}  // namespace sidecar
