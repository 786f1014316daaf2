// Topics are looked up, not ranked: a text that is a key means its row.
#include "memory/ranking/eligible_rows.h"

#include <algorithm>
#include <span>
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
constexpr size_t kAskedAtLeast = 4;   // rows whether they are eligible

// Those of these rows that are live and what the query asks for.
Result<std::unordered_set<int64_t>> Eligible(Candidates& candidates, const RankQuery& query,
                                             std::span<const int64_t> slots) {
  ASSIGN_OR_RETURN(const auto live, candidates.FindLive(slots));
  std::vector<int64_t> asked;
  for (const auto& [slot, row] : live) {
    if (query.type ? row.type != *query.type : IsUnaskedType(row.type)) continue;
    if (query.without_buried && row.flags & kFlagBuried) continue;
    if (query.project && row.project != *query.project) continue;
    asked.push_back(slot);
  }
  if (query.admits && !asked.empty()) return query.admits(asked);
  return std::unordered_set<int64_t>(asked.begin(), asked.end());
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
      ASSIGN_OR_RETURN(const auto eligible, Eligible(candidates, query, {&slot, 1}));
      if (eligible.empty()) return true;
      const double score = best + (topic_key == text ? 1.0 : 0.5);
      std::erase_if(rows, [&](const Ranked& other) { return other.slot == slot; });
      rows.push_back({slot, score, score, {}, Method::kLexical});
      return ++taken < kMaxTopics;
    };
    RETURN_IF_ERROR(candidates.VisitTopics(range, text, end, add));
  }
  return {};
}

// Sorts the ranking as far as it reads it. Asks for as many rows at once as are missing: each
// question to an engine may be a round trip.
Result<std::vector<Ranked>> SelectEligible(Candidates& candidates, const RankQuery& query,
                                           std::vector<Ranked> ranked) {
  std::vector<Ranked> selected;
  size_t sorted = 0;
  std::vector<int64_t> slots;
  for (size_t i = 0; i < ranked.size() && selected.size() < query.limit;) {
    if (i == sorted) {
      sorted = std::min(ranked.size(), 2 * sorted + std::max(query.limit, kSortedAtOnce));
      auto from = ranked.begin() + static_cast<std::ptrdiff_t>(i);
      auto to = ranked.begin() + static_cast<std::ptrdiff_t>(sorted);
      std::partial_sort(from, to, ranked.end(), IsRankedBefore);
    }
    const size_t end = std::min(sorted, i + std::max(query.limit - selected.size(), kAskedAtLeast));
    slots.clear();
    for (size_t at = i; at < end; ++at) slots.push_back(ranked[at].slot);
    ASSIGN_OR_RETURN(const auto eligible, Eligible(candidates, query, slots));
    for (; i < end && selected.size() < query.limit; ++i)
      if (eligible.contains(ranked[i].slot)) selected.push_back(ranked[i]);
  }
  return selected;
}

}  // namespace memory
