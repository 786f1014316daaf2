// The log of injections in state.db: the exact text that each turn got, and the query of its
// recall. Every call runs inside the caller's transaction.
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
  std::string text;            // injected text; empty: nothing was injected
  std::string query, outcome;  // of the recall
  base::Json items;            // [{id, revision, rank, method, trust, …}] in order
  std::string policy_digest;
  int64_t created_ms = 0;
};
base::Status RecordInjection(sqlite::Database& db, const InjectionRecord& record);
// The beginning and the limits of a page of a turn's injections; it has at least one record.
struct InjectionPlace {
  int64_t from = 0;  // the `more` of the page before; 0: the first
  int64_t limit = INT64_MAX;
  size_t bytes = SIZE_MAX;
};
struct InjectionPage {
  std::vector<InjectionRecord> records;
  int64_t more = 0;  // the `from` of the next page; 0: none
};
base::Result<InjectionPage> Injections(sqlite::Database& db, const std::string& conversation,
                                       int64_t turn, const InjectionPlace& place = {});

}  // namespace sidecar
