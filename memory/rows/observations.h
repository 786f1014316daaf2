// The rows of observations: the seam between what a write means (memory/keeping) and an engine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/base/result.h"
#include "memory/model/dedup.h"
#include "memory/model/words.h"
#include "memory/rows/deletions.h"
#include "memory/rows/reads.h"

namespace memory {

// Types that a search or a list has when it asks for them alone: logs, and what an import of
// AgentOS keeps as it came.
inline bool IsUnaskedType(std::string_view type) {
  return type == "audit" || type == "security" || type == "agentos";
}

// Where a row is. Opaque numbers of the engine.
struct Location {
  int64_t project = 0, session = 0;
  bool operator==(const Location&) const = default;
};
struct RowPlace {
  RowId row = 0;
  Location location;
  bool hidden = false, live = false;  // live: neither hidden nor expired
};
// A row that is the same as an imported one.
struct KnownRow {
  RowId row = 0;
  int64_t id = 0;
  bool hidden = false;
};

// What a later write of the session is compared with.
struct SessionRow {
  RowId row = 0;
  std::string origin, type, topic_key, title, content;
};

// Bound to one transaction: a read sees the writes before it, and whoever opened the transaction
// commits it, or rolls it back after an error. Searches find what was written once it is committed.
// One thread. Errors: kUnavailable, kTimeout, kFull, kInternal.
class Observations {
 public:
  virtual ~Observations() = default;

  // Creates an unknown project or session. kConflict: the session is of another project.
  virtual base::Result<Location> FindOrAddLocation(const std::string& session,
                                                   const std::string& project, int64_t now_ms) = 0;
  virtual base::Result<std::optional<RowPlace>> Find(int64_t id) = 0;  // live or not
  virtual base::Result<bool> WasRemoved(int64_t id) = 0;               // a row that is not stored
  virtual base::Result<api::Observation> Read(RowId row) = 0;          // live or not
  // The input of Decide: the live row with the topic key; without a topic key the live row with
  // the same text, type, scope and rule and the newest content within the window.
  virtual base::Result<std::vector<Candidate>> FindCandidates(const Incoming& incoming,
                                                              const Location& location,
                                                              int64_t window_ms) = 0;
  // Visits live rows of the scope with at most `characters` of content, among the newest `most`
  // rows of the session, the newest first, until `visit` returns false. Not traces of one user,
  // Agent or conversation.
  virtual base::Status VisitSession(const Location& location, const std::string& scope,
                                    int64_t most, int64_t characters,
                                    const std::function<bool(const SessionRow&)>& visit) = 0;

  // Takes the topic from a row that no write by the topic may find: from an expired one, which
  // retires at once, and from a trace of one user, Agent or conversation.
  virtual base::Status FreeTopic(const std::string& topic_key, const Location& location,
                                 const std::string& scope, int64_t now_ms) = 0;
  // → the observation's id.
  virtual base::Result<int64_t> Insert(const api::Observation& row, const TextFacts& facts,
                                       const Location& location) = 0;
  // Replaces type, title, content, tags and source; the present text becomes a revision.
  virtual base::Status Rewrite(RowId row, const api::Observation& text, const TextFacts& facts,
                               int64_t now_ms) = 0;
  virtual base::Result<bool> HasRevision(int64_t id, const std::string& content) = 0;
  // Adds `text` to the history of the row, whose own text stays: two revisions more.
  virtual base::Status AddRevision(RowId row, const api::Observation& text, int64_t now_ms) = 0;
  virtual base::Status CountDuplicate(RowId row, int64_t now_ms) = 0;
  virtual base::Status SetTopic(RowId row, const std::string& topic_key) = 0;

  // For imports. The row that an earlier one made of `row` under another id, or that differs only
  // in its id: of rows without a time only one that the viewer sees. A row that is not hidden goes
  // first. May miss rows with very many of the same text.
  virtual base::Result<std::optional<KnownRow>> FindImported(
      const api::Observation& row, const Location& location,
      const std::optional<Viewer>& viewer) = 0;
  virtual base::Result<bool> IsSeenBy(const std::optional<Viewer>& viewer, RowId row) = 0;
  // Adds an earlier version, unless the row has one of its number.
  virtual base::Status ImportRevision(int64_t id, const Revision& revision) = 0;
  virtual base::Status SetTags(RowId row, const std::vector<std::string>& tags) = 0;
  virtual base::Status SetOrigin(RowId row, const std::string& origin) = 0;
  // Gives times and summary to a session that only its rows made. False: it has its own.
  virtual base::Result<bool> FillSession(const Location& location, const api::Session& session,
                                         int64_t summarized_ms) = 0;

  // A hidden row is not live, its topic is free, and no change of retention shows it. A hidden one
  // keeps its time.
  virtual base::Status Hide(RowId row, int64_t now_ms) = 0;
  virtual base::Result<bool> Show(RowId row) = 0;  // false: another row has its topic
  // Hidden neither by retention nor as a part of a merged trace.
  virtual base::Result<bool> IsHiddenByClient(RowId row) = 0;
  // From now on no undo of a merge or of a run of consolidation shows the trace, if the row is one.
  virtual base::Status RefuseUndo(RowId row) = 0;
  virtual Deletions& deletions() = 0;  // of the same transaction
};

}  // namespace memory
