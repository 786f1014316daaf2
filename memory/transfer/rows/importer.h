// Takes rows of every kind into the store in batches: large enough that a sync and a segment of the
// index are shared by many rows, small enough that other writers wait for milliseconds. Not for
// formats.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/conversation/routes/aegis.h"
#include "memory/store/store.h"
#include "memory/transfer/rows/agentos_import.h"
#include "memory/transfer/rows/import_report.h"
#include "memory/transfer/rows/row_kinds.h"

namespace memory {

// One thread; the store of `to` outlives it. An error of Take… is one of the store and ends the
// import; a row that cannot be taken goes into the report with its place `where`
// (GivenPlace::where).
class Importer {
 public:
  // `administrator`: rows keep the class user; else it is lowered to agent.
  // `conversations`: of the caller. `context`: the default owner of traces.
  Importer(RowTarget to, const ImportOptions& options, bool administrator,
           std::unique_ptr<conversation::Host> conversations, TraceContext context);

  // Sets the declared format; kInvalid if it is unsupported. Before the first row.
  base::Status SetFormat(const base::Json& format);
  // A row of an export of ours, or of the reference service.
  base::Status Take(RowKind kind, const base::Json& json, const base::Json& where = {});
  // The one way of every row of another program or of a person: its class is import, whatever it
  // says of itself (a caller who vouches raises it); a row that does not fit is softened
  // (foreign_rows.h) and its text kept; a text over the limit of a content is taken in parts.
  base::Status TakeForeign(const base::Json& json, const base::Json& where = {});
  // The same for a session.
  base::Status TakeForeignSession(base::Json json, const base::Json& where = {});
  // The same for a note, which may be of an export of ours: it keeps its class.
  base::Status TakeNote(const base::Json& json, const base::Json& where);
  base::Status TakeEdge(NumberedEdge edge);  // between rows that Flush committed
  // A hash of an AEGIS memory service; its rows, which are no hash, come as episodes.
  base::Status TakeAegis(const std::string& key, const base::Json& hash,
                         const base::Json& where = {});
  // A row of AgentOS' JSON or file, of one of its arrays (AgentOsImport::IsArray), or the error of
  // a row that cannot be read.
  base::Status TakeAgentOs(const std::string& array, base::Result<base::Json> row) {
    return agentos_.Take(array, std::move(row));
  }
  // An observation that cannot even be read, and one that is skipped on purpose.
  void RefuseObservation(const base::Error& error, const base::Json& where);
  void SkipObservation();
  void RefuseEdges(const base::Error& error, const base::Json& where);
  // Reports something that is no row (ImportReport::Tell).
  void Tell(const std::string& what, const base::Json& where, bool kept) {
    report_.Tell(what, {observations_.given, where}, kept);
  }
  base::Status Flush();   // commits what waits
  base::Status Finish();  // the same after the last row

  // From now on the numbers of observations here are kept, 8 bytes each.
  void KeepNumbers() { keeps_numbers_ = true; }
  // The number of the observation that was given as the `index`-th, from 0 on, before the last
  // Flush; 0: it was not taken.
  int64_t NumberOf(size_t index) const { return index < numbers_.size() ? numbers_[index] : 0; }

  size_t given(RowKind kind) const;  // rows so far, also refused ones
  bool any() const;                  // whether any row came
  bool ours() const { return ours_; }
  // {"imported" (memories), "imported_sessions", "imported_observations", "skipped", "errors":
  // [{kind, index, error}]} (ImportReport), and if any came "imported_<kind>s" of the other kinds,
  // "imported_aegis" (hashes), "imported_kept" (rows of AgentOS without a place here).
  base::Json Report() const;

 private:
  enum class Manner { kStrict, kSoft, kKept };
  // Null: observations_ has the rows.
  RowImport* ImportOf(RowKind kind) const { return imports_[static_cast<size_t>(kind)].get(); }
  base::Status TakeObservation(const base::Json& json, const base::Json& where);
  base::Status TakeSoft(const base::Json& json, const base::Json& where, bool foreign);
  base::Status Add(ExportedRow row, GivenPlace place, Manner manner);
  base::Status Keep(const std::string& array, const base::Json& element);
  base::Status FlushIfFull(size_t rows);
  base::Status FlushObservations();
  void CountObservation(const base::Result<Imported>& outcome, size_t of_batch);

  const RowTarget to_;
  const ImportOptions options_;
  const bool administrator_;
  const TraceContext context_;
  bool ours_ = false;  // not the reference service's
  ImportReport report_;
  size_t batch_bytes_ = 0;                           // of all that waits
  std::vector<std::unique_ptr<RowImport>> imports_;  // of KindRows()
  Batch<ExportedRow> observations_{"observation"};
  std::vector<Manner> manners_;  // of the waiting observations
  int64_t kept_ = 0;
  Batch<NumberedEdge> numbered_edges_{"edge"};
  Batch<conversation::AegisHash> hashes_{"aegis"};
  bool keeps_numbers_ = false;
  std::vector<int64_t> numbers_;  // by index
  const std::unique_ptr<conversation::Host> conversations_;
  conversation::AegisImport aegis_;
  AgentOsImport agentos_;
};

}  // namespace memory
