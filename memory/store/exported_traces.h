// Traces and edges of exports and imports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "memory/store/trace.h"

namespace memory {

// The original text of a compacted trace.
struct ArchivedText {
  std::string content;
  int64_t archived_ms = 0;
};

// A trace in this server's exports, without the text, which is in its observation. `hash`,
// `digest`: api::NormalizedHash and SHA-256 of that text, by which an import finds the observation.
struct ExportedTrace {
  std::string project, id, scope, scope_id, hash, digest;
  int64_t observation = 0;  // its id there
  Strength strength;        // as it is stored
  std::optional<int64_t> remind_ms;
  base::Json emotions = base::Json::object(), metadata = base::Json::object();
  std::optional<ArchivedText> original;
};

// With the digests of both texts, since an id made of an observation's number differs between
// stores. Empty digests are not compared.
struct ExportedEdge {
  std::string from, from_digest, to_digest;
  TraceEdge edge;
};

// An edge between observations by their numbers here.
struct NumberedEdge {
  int64_t from = 0, to = 0;
  std::string kind;
  double weight = 1;
};

enum class EdgeTaken { kNew, kKnown, kNoTrace, kFull };

// A trace with its text, as in AgentOS' exports; also of an observation that is no trace.
// `trace.strength` is the present one, `stored_strength` that of `trace.accessed_ms`. Times of 0,
// an observation of 0, and an empty id are unknown.
struct WholeTrace {
  Trace trace;
  std::string type, title;  // of its observation, in exports
  double stored_strength = 1;
  std::optional<ArchivedText> original;
  // If the export requests vectors; empty: none.
  std::vector<int8_t> vector;
  int64_t model = 0;    // of the vector
  bool remote = false;  // the remote model
};

}  // namespace memory
