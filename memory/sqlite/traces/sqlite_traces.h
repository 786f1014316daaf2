// The traces of a store's file over its writer and its readers.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/base/guarded.h"
#include "lib/base/process/clock.h"
#include "lib/sql/writer.h"
#include "memory/sqlite/reading/snapshot.h"
#include "memory/sqlite/traces/trace_writes.h"
#include "memory/store/traces.h"

namespace memory {

class SqliteTraces final : public Traces {
 public:
  // All outlive it.
  struct Parts {
    sql::Writer& writer;
    ReaderPool& readers;
    const base::Clock& clock;
    TraceWriting writing;
    std::function<base::Status()> admit;                 // before a write that consumes space
    std::function<void(RankQuery&)> prepare;             // sets embeddings and limits of a query
    std::function<bool()> wait_for_index;                // false: the wait was too long
    std::function<void(std::vector<int64_t> ids)> used;  // receives retrieved observations
    TraceWeights weights;
  };
  explicit SqliteTraces(Parts parts) : parts_(std::move(parts)) {}

  base::Result<TraceAdded> Add(const TraceContext& context, const NewTrace& trace) override;
  base::Result<bool> Update(const TraceContext& context, const std::string& id,
                            const TraceChange& change) override;
  base::Result<bool> Delete(const TraceContext& context, const std::string& id,
                            const std::string& reason, const TraceWriter& writer) override;
  base::Result<std::optional<TraceView>> Get(const TraceContext& context, const std::string& id,
                                             bool even_deleted) override;
  base::Result<TraceMerged> Merge(const TraceContext& context, const std::vector<std::string>& ids,
                                  const std::string& content, const api::Source& source,
                                  const TraceWriter& writer) override;
  base::Result<std::optional<std::vector<std::string>>> Unmerge(const TraceContext& context,
                                                                const std::string& id,
                                                                const TraceWriter& writer) override;
  base::Result<bool> PutEdge(const TraceContext& context, const std::string& from,
                             const TraceEdge& edge) override;
  base::Result<bool> DeleteEdge(const TraceContext& context, const std::string& from,
                                const std::string& to) override;
  base::Result<double> Nearest(const TraceContext& context, const std::string& text) override;
  base::Result<std::vector<Trace>> Newest(const TraceContext& context, size_t limit) override;
  base::Result<std::vector<Trace>> Due(const TraceContext& context, size_t limit) override;
  base::Result<FoundTraces> Search(const TraceContext& context,
                                   const TraceQuestion& question) override;

  base::Result<std::vector<bool>> Import(const std::vector<ExportedTrace>& traces) override;
  base::Result<std::vector<EdgeTaken>> Import(const std::vector<ExportedEdge>& edges) override;
  base::Result<std::vector<EdgeTaken>> Import(const std::vector<NumberedEdge>& edges) override;
  std::future<base::Result<std::vector<TraceTaken>>> Import(
      std::shared_ptr<const std::vector<WholeTrace>> traces, const ImportOptions& options) override;

  base::Status KeepRetrievals();  // persists which traces were retrieved
  size_t CountRetrievals() const;

 private:
  // Since the last KeepRetrievals, by slot.
  struct Retrieval {
    int64_t times = 0, last_ms = 0;
  };
  using Pairs = std::map<std::pair<int64_t, int64_t>, int64_t>;  // → joint retrievals
  struct Retrievals {
    std::unordered_map<int64_t, Retrieval> traces;
    Pairs pairs;
    struct Share {
      size_t traces = 0, pairs = 0;
    };
    std::map<std::string, Share> shares;  // of the callers in both
  };
  int64_t NowMs() const { return parts_.clock.NowMs(); }
  // A live trace that the context may see.
  base::Result<std::optional<TraceRow>> FindOwn(sql::Database& database,
                                                const TraceContext& context, const std::string& id);
  // Adds retrievals that are not persisted yet.
  base::Result<std::optional<TraceRow>> Read(sql::Database& database, int64_t slot) const;
  base::Result<std::vector<Trace>> Listed(sql::Database& database, sql::Statement list,
                                          const TraceContext& context, size_t limit);
  void NoteRetrieved(const TraceContext& context, const std::vector<FoundTrace>& found,
                     const std::vector<int64_t>& slots, int64_t now_ms);
  base::Status KeepPairs(const Pairs& pairs);
  // The matches of a query that the context may see; empty: none.
  base::Result<Ranking> Rank(Snapshot& snapshot, const TraceContext& context,
                             const TraceQuestion& question, RankQuery query);
  template <class Taken, class Row, class Take>
  base::Result<std::vector<Taken>> TakeAll(const std::vector<Row>& rows, const Take& take);
  RankQuery QueryOf(const TraceQuestion& question, size_t limit) const;
  base::Result<FoundTraces> Score(Snapshot& snapshot, const Ranking& ranking,
                                  const TraceQuestion& question, int64_t now_ms,
                                  std::vector<int64_t>& slots);

  const Parts parts_;
  base::Guarded<Retrievals> retrievals_;
};

}  // namespace memory
