// Imports sessions and observations in batches and counts the outcomes. Independent of the format.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/conversation/routes/aegis_import.h"
#include "memory/store/store.h"
#include "memory/transfer/rows/agentos_import.h"

namespace memory {

// One thread; `store` outlives it.
class Importer {
 public:
  // `administrator`: rows that say that they are a user's are; else they are an agent's.
  // `conversations`: of the caller.
  // `context`: whose traces are that do not say it.
  Importer(Store& store, const ImportOptions& options, bool administrator,
           std::unique_ptr<conversation::Host> conversations, TraceContext context);

  // What the import says it is: kInvalid when that is unknown. Before the first row.
  base::Status SetFormat(const base::Json& format);
  // A row of the import, in its JSON. An error is one of the store, and ends the import; a row that
  // is not taken goes into the report, with `where` it stands: {"line": 7} or {"file": "a.md"}.
  base::Status TakeSession(const base::Json& json, const base::Json& where = {});
  base::Status TakeObservation(const base::Json& json, const base::Json& where = {});
  // The one way of every row of another program or of a person: its class is import, whatever it
  // says of itself (a caller who vouches raises it); one that does not fit is softened
  // (softened_row.h) and its text kept; a text over the limit of a content is taken in parts.
  base::Status TakeForeign(const base::Json& json, const base::Json& where = {});
  // The same for a session: times that cannot be read are left out and told.
  base::Status TakeForeignSession(base::Json json, const base::Json& where = {});
  // The same for a note, which may be of an export of ours: it keeps its class.
  base::Status TakeNote(const base::Json& json, const base::Json& where);
  // Something that is no row: a part without a text, a link of an archive. `kept`: what it stands
  // in was taken.
  void Tell(const std::string& what, const base::Json& where, bool kept);
  base::Status TakeItem(const base::Json& json, const base::Json& where = {});
  base::Status TakeEpisode(const base::Json& json, const base::Json& where = {});
  base::Status TakeTrace(const base::Json& json, const base::Json& where = {});
  base::Status TakeEdge(const base::Json& json, const base::Json& where = {});
  base::Status TakeEdge(NumberedEdge edge);  // between rows that Flush committed
  // A hash of an AEGIS memory service; its rows, which are no hash, come as episodes.
  base::Status TakeAegis(const std::string& key, base::Json hash, const base::Json& where = {});
  // A row of AgentOS' JSON or file, of one of its arrays (AgentOsImport::IsArray).
  // An error: the row cannot be read.
  base::Status TakeAgentOs(const std::string& array, base::Result<base::Json> row) {
    return row ? agentos_.Take(array, std::move(*row)) : agentos_.Refuse(array, row.error());
  }
  // The same for a row that cannot even be read, and for one that is not meant to be taken.
  void RefuseObservation(const base::Error& error, const base::Json& where);
  void SkipObservation();
  void RefuseEdges(const base::Error& error, const base::Json& where);
  base::Status Flush();   // commits what waits
  base::Status Finish();  // the same behind the last row

  // From now on the observations' numbers here are kept, 8 bytes each.
  void KeepNumbers() { keeps_numbers_ = true; }
  // Of the observation that was given as the `index`-th, from 0 on, before the last Flush; 0: it
  // was not taken.
  int64_t NumberOf(size_t index) const { return index < numbers_.size() ? numbers_[index] : 0; }

  size_t sessions_given() const { return sessions_given_; }
  size_t observations_given() const { return observations_given_; }
  size_t items_given() const { return items_given_; }
  size_t episodes_given() const { return episodes_given_; }
  size_t traces_given() const { return traces_given_; }
  size_t edges_given() const { return edges_given_; }
  bool ours() const { return ours_; }
  bool any_agentos() const { return agentos_.any(); }
  // {"imported" (memories), "imported_sessions", "imported_observations", "skipped",
  // "imported_kept" rows of AgentOS without a place here,
  // "errors": [{kind, index, error}], of AgentOS' rows strings; with "kept": true the row was
  // taken, and a field of it is a line of its text}; "imported_items", "imported_episodes",
  // "imported_traces", "imported_edges" and "imported_aegis" (hashes) if any came; an error with
  // its place where that is known; "skipped_deleted" says how many of the skipped ones somebody
  // deleted here, "raised" how many became a user's; "not_injected" how many of the new ones no
  // prompt gets by itself, with a "hint" what to do; each of them if any; beyond 10,000 errors the
  // others are counted in "errors_left_out".
  base::Json Report() const;

 private:
  struct Place {
    size_t index;
    base::Json where;
  };
  void Refuse(const char* kind, const Place& place, const base::Error& error);
  // The same for what is taken all the same: "kept" is true.
  void Report(const char* kind, const Place& place, const std::string& problem);
  void List(base::Json error, const base::Json& where);
  enum class Manner { kStrict, kSoft, kKept };
  base::Status TakeSoft(const base::Json& json, const base::Json& where, bool foreign);
  base::Status TakeRow(ExportedRow row, const Place& place, Manner manner);
  base::Status Keep(const std::string& array, const base::Json& element);
  void HoldOrigin(std::string& origin) const;
  void HoldTrust(ExportedRow& row) const;
  void Count(Imported::Outcome outcome, const std::string& origin);
  void CountKnown(Imported::Outcome outcome, const std::string& origin);  // but whether it is new
  base::Json Errors() const;
  base::Status FlushSessions();
  base::Status FlushObservations();
  void CountOutcome(const base::Result<Imported>& outcome, size_t of_batch);
  base::Status FlushItems();
  base::Status FlushEpisodes();
  base::Status FlushTraces();
  template <class Edge>
  base::Status FlushEdges(std::vector<Edge>& batch, std::vector<Place>& places);
  base::Status FlushAegis();

  Store& store_;
  const ImportOptions options_;
  const bool administrator_;
  const TraceContext context_;
  bool ours_ = false;  // not the reference's
  size_t sessions_given_ = 0, observations_given_ = 0, items_given_ = 0, episodes_given_ = 0,
         aegis_given_ = 0, traces_given_ = 0, edges_given_ = 0;
  int64_t items_ = 0, episodes_ = 0, hashes_ = 0, traces_ = 0, edges_ = 0;
  int64_t sessions_ = 0, observations_ = 0, skipped_ = 0, skipped_deleted_ = 0, raised_ = 0,
          kept_ = 0, not_injected_ = 0, errors_left_out_ = 0;
  base::Json errors_ = base::Json::array();
  // What waits for the next commit, and which of the import's rows each is.
  std::vector<api::Session> session_batch_;
  std::vector<ExportedRow> batch_;
  std::vector<Manner> manners_;  // of each of them
  std::vector<ExportedItem> item_batch_;
  std::vector<Episode> episode_batch_;
  std::vector<ExportedTrace> trace_batch_;
  std::vector<ExportedEdge> edge_batch_;
  std::vector<NumberedEdge> numbered_batch_;
  bool keeps_numbers_ = false;
  std::vector<int64_t> numbers_;  // by index
  const std::unique_ptr<conversation::Host> conversations_;
  conversation::AegisImport aegis_;
  std::vector<conversation::AegisHash> aegis_batch_;
  AgentOsImport agentos_;
  std::vector<Place> session_places_, places_, edge_places_, numbered_places_, aegis_places_;
  size_t batch_bytes_ = 0;
};

}  // namespace memory
