// Topics are looked up, not ranked: a text that is a key means its row.
#include "memory/ranking/eligible_rows.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "lib/api/memory_api.h"
#include "lib/base/text/text.h"
#include "memory/model/marks.h"
#include "memory/rows/observations.h"

namespace memory {

using base::Result;
using base::Status;

namespace {

// So much of the best score that no strength (sqlite/traces/strength_order.h) takes it away.
constexpr double kPinnedLift = 2;
constexpr size_t kMaxTopics = 20;     // of a range
constexpr size_t kSortedAtOnce = 16;  // of a ranking: few queries need more

// Whether a row is live and what the query asks for.
Result<bool> IsEligible(Candidates& candidates, const RankQuery& query, int64_t slot) {
  ASSIGN_OR_RETURN(const std::optional<LiveRow> row, candidates.FindLive(slot));
  if (!row) return false;
  if (query.type ? row->type != *query.type : IsUnaskedType(row->type)) return false;
  if (query.without_buried && row->flags & kFlagBuried) return false;
  if (query.project && row->project != *query.project) return false;
  return query.admits ? query.admits(slot) : Result<bool>(true);
}

}  // namespace

void LiftPinned(const std::vector<Record>& records, std::vector<Ranked>& rows) {
  std::unordered_set<int64_t> pinned;
  for (const Record& record : records)
    if (record.flags & kFlagPinned) pinned.insert(record.slot);
  if (pinned.empty()) return;
  double best = 0;
  for (const Ranked& row : rows) best = std::max(best, row.score);
  for (Ranked& row : rows)
    if (pinned.contains(row.slot)) row.score += kPinnedLift * best;
}

Status AddTopics(Candidates& candidates, const RankQuery& query, const std::vector<int64_t>& ranges,
                 std::vector<Ranked>& rows) {
  std::string text(base::Trim(query.text));
  if (text.empty() || base::CountCharacters(text) > api::kMaxTopicKey) return {};
  if (text.find('\0') != std::string::npos) return {};  // which no key has
  bool key_like =
      text.find_first_of("-_/.:") != std::string::npos && text.find(' ') == std::string::npos;
  // U+10FFFF sorts after every character; U+0001 is the first one that a key has.
  const std::string end = text + (key_like ? "\U0010FFFF" : "\x01");
  double best = 0;
  for (const Ranked& row : rows) best = std::max(best, row.score);
  for (int64_t range : ranges) {
    size_t taken = 0;
    const auto add = [&](int64_t slot, std::string_view topic_key) -> Result<bool> {
      ASSIGN_OR_RETURN(const bool eligible, IsEligible(candidates, query, slot));
      if (!eligible) return true;
      const double score = best + (topic_key == text ? 1.0 : 0.5);
      std::erase_if(rows, [&](const Ranked& other) { return other.slot == slot; });
      rows.push_back({slot, score, score, {}, Method::kLexical});
      return ++taken < kMaxTopics;
    };
    RETURN_IF_ERROR(candidates.VisitTopics(range, text, end, add));
  }
  return {};
}

// Sorts the ranking as far as it reads it.
Result<std::vector<Ranked>> SelectEligible(Candidates& candidates, const RankQuery& query,
                                           std::vector<Ranked> ranked) {
  std::vector<Ranked> selected;
  size_t sorted = 0;
  for (size_t i = 0; i < ranked.size() && selected.size() < query.limit; ++i) {
    if (i == sorted) {
      sorted = std::min(ranked.size(), 2 * sorted + std::max(query.limit, kSortedAtOnce));
      auto from = ranked.begin() + static_cast<std::ptrdiff_t>(i);
      auto to = ranked.begin() + static_cast<std::ptrdiff_t>(sorted);
      std::partial_sort(from, to, ranked.end(), IsRankedBefore);
    }
    const Ranked& row = ranked[i];
    ASSIGN_OR_RETURN(const bool eligible, IsEligible(candidates, query, row.slot));
    if (!eligible) continue;
    selected.push_back(row);
  }
  return selected;
}

}  // namespace memory
