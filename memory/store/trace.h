// A trace as a value. Independent of the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/base/json/json.h"
#include "memory/model/strength.h"
#include "memory/model/trace_context.h"

namespace memory {

inline constexpr size_t kMaxTraceTags = api::kMaxTagsKept;  // of a merged trace
inline constexpr size_t kMaxTraceEdges = 256;               // outgoing, of a trace
inline constexpr int64_t kDueDays = 30;                     // that a reminder stays due

inline constexpr const char* kTraceIdPrefix = "mt_";
// The id of an imported trace whose own `id` belongs to another trace here, or is no UUID:
// deterministic for `id` and `of`. A UUID of version 8 (RFC 9562).
std::string OtherTraceId(const std::string& id, const std::string& of);
// The head of an id made of the number of an observation that is no trace: of a UUID of version 8
// (RFC 9562).
inline constexpr std::string_view kNumberedPrefix = "mt_00000000-0000-8000-8000-";
// Such an id; and back, nullopt: it is none.
std::string NumberedTraceId(int64_t observation);
std::optional<int64_t> NumberInTraceId(std::string_view id);

struct NewTrace {
  std::string content, kind = kEpisodic, scope = kUserScope;
  std::vector<std::string> tags;
  std::optional<int64_t> remind_ms;
  base::Json emotions = base::Json::object(), metadata = base::Json::object();
  api::Source source;
};

struct TraceEdge {
  std::string to, kind = "related";
  double weight = 1;  // 0…1
};

struct Trace {
  std::string id, kind, scope, scope_id, content, project;
  double strength = 1;  // now
  std::vector<std::string> tags;
  base::Json emotions = base::Json::object(), metadata = base::Json::object();
  int64_t created_ms = 0, accessed_ms = 0, retrievals = 0;
  int64_t observation = 0, revisions = 1;
  std::optional<int64_t> remind_ms, deleted_ms;
  std::string reason;       // of its delete
  std::string merged_into;  // empty: none
  api::Source source;
};

}  // namespace memory
