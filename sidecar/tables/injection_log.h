// What was injected into turns, in state.db: the exact bytes, and why. Every call runs inside the
// caller's transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

extern const char* const kInjectionsSchema;

struct InjectionRecord {
  std::string conversation;
  int64_t turn = 0;
  std::string event, tool_name, tool_use_id;
  std::string text;            // what the agent got; empty: nothing
  std::string query, outcome;  // why: what was searched for and how that went
  base::Json items;            // [{id, revision, rank, method, trust, …}] in order
  std::string policy_digest;
  int64_t created_ms = 0;
};
base::Status RecordInjection(sqlite::Database& db, const InjectionRecord& record);
// Those of a turn in their order, as many as fit; one is always whole.
struct InjectionPlace {
  int64_t from = 0;  // the `more` of the page before; 0: the first
  int64_t limit = INT64_MAX;
  size_t bytes = SIZE_MAX;
};
struct InjectionPage {
  std::vector<InjectionRecord> records;
  int64_t more = 0;  // where the next page begins; 0: there is none
};
base::Result<InjectionPage> Injections(sqlite::Database& db, const std::string& conversation,
                                       int64_t turn, const InjectionPlace& place = {});

}  // namespace sidecar
