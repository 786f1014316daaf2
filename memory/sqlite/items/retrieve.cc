// Finds items by words, by meaning, or by last access.
#include <algorithm>
#include <set>

#include "lib/base/json/stored.h"
#include "lib/base/limits/answer_charge.h"
#include "memory/model/embedded_text.h"
#include "memory/model/slots.h"
#include "memory/sqlite/items/item_vectors.h"
#include "memory/sqlite/items/sqlite_items.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/store/answer_limit.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr size_t kMaxItemsByMeaning = 512;  // without a word of the query

// Adds rows while the answer has space for them.
class ItemAnswer {
 public:
  explicit ItemAnswer(size_t limit) : limit_(limit) {}
  bool full() const { return found_.partial || found_.rows.size() >= limit_; }
  Status Add(const Cell& cell, double score, const char* method) {
    constexpr size_t kBeside = 400;  // key, times, names of fields
    const size_t bytes =
        kBeside + base::WeightOfText(cell.value) + base::WeightOfText(cell.metadata);
    RETURN_IF_ERROR(charge_.Add(bytes));
    found_.rows.push_back({cell, score, method});
    found_.partial = (bytes_ += bytes) > kAnswerBytes;
    return {};
  }
  FoundItems Take() { return std::move(found_); }

 private:
  const size_t limit_;
  size_t bytes_ = 0;
  base::AnswerCharge charge_;
  FoundItems found_;
};

}  // namespace

Result<FoundItems> SqliteItems::Retrieve(const std::string& project, const std::string& query,
                                         size_t limit, std::stop_token stop) {
  const int64_t aged_ms = AgedMs();
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
  ASSIGN_OR_RETURN(const auto number, FindProject(snapshot.database(), project));
  if (!number) return FoundItems();
  const TextQuery words{query, *number, aged_ms, parts_.deadline_ms, std::move(stop)};
  const std::unique_ptr<TextCandidates> texts = snapshot.candidates().Items(aged_ms);
  ASSIGN_OR_RETURN(const TextMatches matches, RankTexts(*texts, words));
  if (!matches.words) return Latest(snapshot.database(), *number, limit, aged_ms);
  ASSIGN_OR_RETURN(const std::vector<Ranked> ranked,
                   FuseNear(snapshot.database(), matches, words, limit));
  ASSIGN_OR_RETURN(FoundItems found, Load(snapshot.database(), ranked, limit));
  found.partial = found.partial || matches.partial;
  return found;
}

Result<std::vector<Ranked>> SqliteItems::FuseNear(Database& database, const TextMatches& matches,
                                                  const TextQuery& query, size_t limit) {
  std::vector<Similarity> near;
  FusionWeights weights;
  if (const Embedder* embedder = parts_.embedder) {
    weights = embedder->weights();
    const std::string text = EmbeddedText(query.text);
    const ItemMeaning asked{text.empty() ? std::vector<int8_t>() : embedder->Embed(text),
                            embedder->model(),
                            query.project,
                            query.now_ms,
                            query.deadline_ms,
                            query.stop};
    if (!asked.question.empty()) {
      ASSIGN_OR_RETURN(near, NearItems(database, asked));
    }
  }
  return Fuse(matches.rows, near, weights, Admission::kNearest, std::max(kMaxItemsByMeaning, limit),
              limit);
}

namespace {

const char* NameOfMethod(Method method) {
  if (method == Method::kEmbedding) return "embedding";
  return method == Method::kFused ? "fused" : "lexical";
}

}  // namespace

// The reported score is the share of the query's words in the item, or its similarity, capped by
// the score of the item before it.
Result<FoundItems> SqliteItems::Load(Database& database, const std::vector<Ranked>& matches,
                                     size_t limit) {
  struct Accessed {
    double score;
    int64_t accessed_ms, slot;
    double likeness;
    Method method;
  };
  const int64_t now_ms = parts_.clock.NowMs();
  std::vector<Accessed> ranked;
  for (const Ranked& match : matches) {
    ASSIGN_OR_RETURN(Statement read,
                     database.Prepare("SELECT accessed_ms FROM items WHERE slot = ?1"));
    ASSIGN_OR_RETURN(const bool row, read.Bind(match.slot).Step());
    if (!row) continue;
    const int64_t accessed_ms = accesses_.Latest(match.slot, read.Int(0));
    const double likeness = std::max(match.lexical, double{match.similarity.value_or(0)});
    ranked.push_back({match.score, accessed_ms, match.slot, likeness, match.method});
  }
  std::sort(ranked.begin(), ranked.end(), [](const Accessed& a, const Accessed& b) {
    return std::tie(a.score, a.accessed_ms, a.slot) > std::tie(b.score, b.accessed_ms, b.slot);
  });
  ItemAnswer answer(limit);
  double likeness = 1;
  for (const Accessed& next : ranked) {
    if (answer.full()) break;
    ASSIGN_OR_RETURN(auto row, FindItem(database, next.slot));
    if (!row) continue;
    accesses_.Note(row->slot, now_ms);
    row->cell.accessed_ms = now_ms;
    likeness = std::clamp(next.likeness, 0.0, likeness);
    RETURN_IF_ERROR(answer.Add(row->cell, likeness, NameOfMethod(next.method)));
  }
  return answer.Take();
}

// Merges the first `limit` items of the file with those whose access is only in memory: together
// they contain the first `limit` of all.
Result<FoundItems> SqliteItems::Latest(Database& database, int64_t project, size_t limit,
                                       int64_t aged_ms) {
  std::vector<std::pair<int64_t, int64_t>> noted;  // accessed, slot
  accesses_.times().With([&](const ItemAccesses::Times& mine) {
    for (const auto& [slot, accessed_ms] : mine)
      if (slot >> kRangeBits == project) noted.emplace_back(accessed_ms, slot);
  });
  std::sort(noted.rbegin(), noted.rend());
  std::set<std::pair<int64_t, int64_t>, std::greater<>> order;
  std::set<int64_t> known;
  auto take = [&](int64_t accessed_ms, int64_t slot) {
    if (known.insert(slot).second) order.emplace(accessed_ms, slot);
  };
  for (const auto& [accessed_ms, slot] : noted) {
    if (order.size() >= limit) break;
    ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT accessed_ms FROM items WHERE slot = "
                                                      "?1 AND (over_ms IS NULL OR over_ms > ?2)"));
    ASSIGN_OR_RETURN(const bool live, read.Bind(slot).Bind(aged_ms).Step());
    if (live) take(std::max(accessed_ms, read.Int(0)), slot);
  }
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT accessed_ms, slot FROM items WHERE project = ?1 AND (over_ms IS "
                       "NULL OR over_ms > ?2) ORDER BY accessed_ms DESC, slot DESC LIMIT ?3"));
  read.Bind(project).Bind(aged_ms).Bind(static_cast<int64_t>(limit));
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) { take(row.Int(0), row.Int(1)); }));
  ItemAnswer answer(limit);
  for (const auto& [accessed_ms, slot] : order) {
    if (answer.full()) break;
    ASSIGN_OR_RETURN(auto row, FindItem(database, slot));
    if (!row) continue;
    row->cell.accessed_ms = accessed_ms;
    RETURN_IF_ERROR(answer.Add(row->cell, 0, "recency"));
  }
  return answer.Take();
}

}  // namespace memory
