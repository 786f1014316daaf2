// Arguments and results of the calls that write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/api/memory_api.h"

namespace memory {

// An Idempotency-Key with its caller: the same key of another caller is another key.
struct RequestKey {
  RequestKey(const char* of) : key(of) {}
  RequestKey(std::string of, std::string whose = "")
      : key(std::move(of)), caller(std::move(whose)) {}
  std::string key, caller;  // empty key: none; empty caller: anonymous
};

// The outcome of a POST.
struct Saved {
  int64_t id = 0;
  std::string action;  // created, updated, deduplicated
  int64_t revision_count = 1, duplicate_count = 0;
  bool replayed = false;    // the answer of an earlier call with the same key
  bool key_reused = false;  // the key is known with another body, that of `id`; nothing was done
};

// Only set fields change.
struct Patch {
  std::optional<std::string> type, title, content;
  std::optional<std::vector<std::string>> tags;
  std::optional<bool> pinned, buried;     // marks (model/marks.h); `tags` changes none
  std::string writer = api::kOriginUser;  // the row gets the lower of its trust class and this one
  bool replace_user = false;              // like api::NewObservation
  std::optional<int64_t> if_revision;     // kConflict: the row has another one now
};

struct SessionEnd {
  std::string summary;  // empty: keeps the present one
  int64_t message_count = 0;
  bool interim = false;                // writes the summary, leaves the session open
  std::optional<std::string> project;  // kNotFound for a session of another one
};

}  // namespace memory
