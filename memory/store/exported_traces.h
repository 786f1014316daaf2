// Traces and edges on their way out of a store and into one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "memory/store/trace.h"

namespace memory {

// What a compacted trace said before its gist.
struct ArchivedText {
  std::string content;
  int64_t archived_ms = 0;
};

// A trace as exports of ours have it: without the text, which its observation has. `hash`,
// `digest`: api::NormalizedHash and SHA-256 of that text, by which an import finds the observation
// again.
struct ExportedTrace {
  std::string project, id, scope, scope_id, hash, digest;
  int64_t observation = 0;  // its id there
  Strength strength;        // as it is stored
  std::optional<int64_t> remind_ms;
  base::Json emotions = base::Json::object(), metadata = base::Json::object();
  std::optional<ArchivedText> original;
};

// With the digests of both texts: an id that is made of an observation's number is another here.
// Empty ones are not compared.
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

// A trace with its text, as AgentOS' exports have it. An observation that is no trace is read as
// one. `trace.strength` is that of now, `stored_strength` that of `trace.accessed_ms`. Times of 0,
// an observation of 0, and an empty id are not known.
struct WholeTrace {
  Trace trace;
  double stored_strength = 1;
  std::optional<ArchivedText> original;
  // Of an export that asked for them; empty: there is none.
  std::vector<int8_t> vector;
  int64_t model = 0;    // that made it
  bool remote = false;  // one that is asked over the network
};

}  // namespace memory
