// The vectors of rows and queries. Rows that were written without an embedder or with another model
// get their vectors in the background.
#include "memory/sqlite/tables/vectors.h"

#include <algorithm>
#include <chrono>

#include "memory/model/embedded_text.h"
#include "memory/model/words.h"
#include "memory/sqlite/store/state.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;

namespace {

constexpr int64_t kLeastSearchMs = 10;  // however long the remote model took
constexpr size_t kRemoteBatchRows = 64, kRemoteBatchBytes = 256 << 10;  // of one request

}  // namespace

TextFacts StoreState::Facts(std::string_view title, std::string_view content) const {
  TextFacts facts = FactsOf(title, content);
  if (!options.embedder) return facts;
  facts.model = options.embedder->model();
  facts.vector = options.embedder->Embed(EmbeddedText(title, content));
  return facts;
}

void StoreState::SetMeaning(RankQuery& query) const {
  const std::string text = EmbeddedText(query.text);
  if (text.empty()) return;
  if (const Embedder* table = options.embedder.get(); table && !IsMostlyUnspaced(text)) {
    query.meaning = {table->Embed(text), table->model(), table->weights(), false, nullptr, {}};
    query.meaning.pieces = table->pieces();
    if (query.meaning.pieces) query.meaning.asked = query.meaning.pieces->PiecesOf(text);
  }
  RemoteEmbedder* remote = options.remote.get();
  if (!remote || !remote_gaps.Complete(usage.rows())) return;
  using std::chrono::steady_clock;
  const auto begun = steady_clock::now();
  query.remote_meaning = {remote->OfQuestion(text, query.stop),
                          remote->known_model(),
                          remote->weights(),
                          true,
                          nullptr,
                          {}};
  const auto spent =
      std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begun);
  query.deadline_ms = std::max<int64_t>(query.deadline_ms - spent.count(), kLeastSearchMs);
}

Result<bool> SqlStore::FillVectors() {
  if (!state_->options.embedder) return false;
  if (state_->vectors_done) return state_->items->FillVectors();
  RETURN_IF_ERROR(state_->AdmitGrowth());
  VectorlessPage page;
  {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(state_->readers));
    ASSIGN_OR_RETURN(page, FindVectorless(snapshot.database(), state_->options.embedder->model(),
                                          state_->vectors_until));
  }
  std::vector<TextFacts> facts;
  for (const Vectorless& row : page.rows) facts.push_back(state_->Facts(row.title, row.content));
  if (!page.rows.empty()) {
    RETURN_IF_ERROR(state_->writer->RunAny([&](Database& database) -> Status {
      for (size_t i = 0; i < facts.size(); ++i)
        RETURN_IF_ERROR(FillVector(database, page.rows[i], facts[i]));
      return {};
    }));
  }
  state_->vectors_until = page.last;
  state_->vectors_done = page.end;
  return true;  // after rows: items
}

Result<RemoteBatch> SqlStore::NextRemoteBatch(int64_t model) {
  RETURN_IF_ERROR(state_->AdmitGrowth());
  RemoteBatch batch;
  RemoteGapList& gaps = state_->remote_gaps;
  RETURN_IF_ERROR(NoteChanges());
  // Listed before the snapshot begins, which therefore contains them.
  const std::vector<ListedGap> listed = gaps.First(kRemoteBatchRows);
  const std::optional<int64_t> after = gaps.NextOfPass();
  if (!after && listed.empty()) return batch;
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(state_->readers));
  if (after) {
    ASSIGN_OR_RETURN(const RemoteGaps found, FindRemoteGaps(snapshot.database(), model, *after));
    gaps.AddPass(found);
  }
  std::vector<ListedGap> closed;
  size_t bytes = 0;
  for (const ListedGap& gap : listed) {
    if (bytes > kRemoteBatchBytes) break;
    ASSIGN_OR_RETURN(std::optional<Vectorless> row,
                     ReadRemoteGap(snapshot.database(), model, gap.slot));
    if (!row) {
      closed.push_back(gap);
      continue;
    }
    bytes += row->title.size() + row->content.size();
    batch.rows.push_back(*std::move(row));
    batch.listed.push_back(gap);
  }
  gaps.Remove(closed);
  batch.more = gaps.size() > batch.rows.size() || gaps.NextOfPass().has_value();
  return batch;
}

Status SqlStore::PutRemoteVectors(const RemoteBatch& batch, int64_t model,
                                  const std::vector<std::vector<int8_t>>& vectors) {
  RETURN_IF_ERROR(state_->AdmitGrowth());
  std::vector<ListedGap> filled;
  RETURN_IF_ERROR(state_->writer->RunAny([&](Database& database) -> Status {
    filled.clear();
    for (size_t i = 0; i < batch.rows.size(); ++i) {
      ASSIGN_OR_RETURN(const bool put,
                       FillRemoteVector(database, batch.rows[i], model, vectors[i]));
      if (put) filled.push_back(batch.listed[i]);
    }
    return {};
  }));
  state_->remote_gaps.Remove(filled);
  return {};
}

size_t SqlStore::RemoteGapCount() const { return state_->remote_gaps.size(); }

}  // namespace memory
