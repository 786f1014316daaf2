// Compares folded words; meanings are the server's.
#include "sidecar/recall/selection.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/identifier.h"
#include "lib/base/text/text.h"

namespace sidecar {
namespace {

constexpr const char* kCleared = "transcript:cleared";
constexpr std::string_view kDigest = "session";  // of `type`
constexpr std::string_view kNewest = "recency";  // of `method`

// " use pnpm not npm ": a part of it between blanks is a run of whole words.
std::string WordsOf(const RecalledItem& item) {
  const std::string folded = base::FoldCase(item.content);
  std::string words = " ";
  for (const std::string_view word : base::Tokens(folded)) words.append(word).append(" ");
  return words;
}

}  // namespace

conversation::LedgerItem TranscriptCleared(int64_t now_ms) {
  return {kCleared, base::FormatTime(now_ms)};
}

int64_t ClearedMs(const conversation::Ledger& ledger) {
  const auto cleared = ledger.find(kCleared);
  return cleared == ledger.end() ? 0 : base::ParseTime(cleared->second).value_or(0);
}

Recalled WithoutOwn(Recalled recalled, const std::set<std::string>& own_sessions,
                    int64_t since_ms) {
  std::erase_if(recalled.sessions,
                [&](const RecalledSession& session) { return own_sessions.contains(session.id); });
  if (recalled.sessions.size() > kRecalledSessions) recalled.sessions.resize(kRecalledSessions);
  std::erase_if(recalled.items, [&](const RecalledItem& item) {
    return own_sessions.contains(item.session) && item.created_ms >= since_ms;
  });
  return recalled;
}

Recalled WithoutRepeats(Recalled recalled) {
  std::vector<std::pair<std::string, bool>> before;  // words; whether they are a user's
  std::erase_if(recalled.items, [&](const RecalledItem& item) {
    std::string words = WordsOf(item);
    const bool users = item.trust == api::kOriginUser;
    const bool repeats =
        words.size() > 1 && std::ranges::any_of(before, [&](const auto& other) {
          return (other.second || !users) && other.first.find(words) != std::string::npos;
        });
    if (!repeats) before.emplace_back(std::move(words), users);
    return repeats;
  });
  return recalled;
}

Recalled WithOneDigest(Recalled recalled, const conversation::Ledger& ledger) {
  bool any = false;
  std::erase_if(recalled.items, [&](const RecalledItem& item) {
    return item.type == kDigest &&
           (IsInLedger(ledger, LedgerItemOf(item)) || std::exchange(any, true));
  });
  return recalled;
}

Recalled WithFewOfTheNewest(Recalled recalled) {
  const auto newest =
      std::stable_partition(recalled.items.begin(), recalled.items.end(),
                            [](const RecalledItem& item) { return item.method != kNewest; });
  std::stable_partition(newest, recalled.items.end(),
                        [](const RecalledItem& item) { return item.trust == api::kOriginUser; });
  const auto fitting = static_cast<size_t>(newest - recalled.items.begin());
  if (recalled.items.size() > fitting + kNewestOfAFirstPrompt)
    recalled.items.resize(fitting + kNewestOfAFirstPrompt);
  return recalled;
}

}  // namespace sidecar
