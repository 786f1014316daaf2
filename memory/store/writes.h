// Arguments and results of the calls that write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/api/memory_api.h"

namespace memory {

// An Idempotency-Key and whose it is: the same key of another caller is another key.
struct RequestKey {
  RequestKey(const char* of) : key(of) {}
  RequestKey(std::string of, std::string whose = "")
      : key(std::move(of)), caller(std::move(whose)) {}
  std::string key, caller;  // an empty key: none; an empty caller: who is not known by name
};

// What a POST became.
struct Saved {
  int64_t id = 0;
  std::string action;  // created, updated, deduplicated
  int64_t revision_count = 1, duplicate_count = 0;
  bool replayed = false;    // the answer of an earlier call with the same key
  bool key_reused = false;  // the key came before with another body: `id`'s; nothing was done
};

// Only what is set changes.
struct Patch {
  std::optional<std::string> type, title, content;
  std::optional<std::vector<std::string>> tags;
  std::string writer = api::kOriginUser;  // the row gets the lower of its trust class and this one
  bool replace_user = false;              // as api::NewObservation has it
};

struct SessionEnd {
  std::string summary;  // empty: keep the one there is
  int64_t message_count = 0;
  bool interim = false;                // write the summary, leave the session open
  std::optional<std::string> project;  // kNotFound for a session of another one
};

}  // namespace memory
