// Selects the recalled memories that a turn gets: nothing that its transcript has, nothing twice,
// and little that only is new. prompt.h renders them. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "lib/conversation/ledger_item.h"
#include "sidecar/recall/recalled.h"

namespace sidecar {

inline constexpr size_t kNewestOfAFirstPrompt = 2;

// An entry beside those of memories: the runtime cleared or compacted the transcript at this time.
conversation::LedgerItem TranscriptCleared(int64_t now_ms);
int64_t ClearedMs(const conversation::Ledger& ledger);  // 0: never

// Without the conversation's own sessions and what they wrote from `since_ms` on, which its
// transcript has. At most kRecalledSessions sessions stay.
Recalled WithoutOwn(Recalled recalled, const std::set<std::string>& own_sessions, int64_t since_ms);
// Without an item whose words stand in the same order in an earlier one; a user's own words are a
// repeat of a user's alone.
Recalled WithoutRepeats(Recalled recalled);
// With the first digest of a session alone that the conversation was not given before: digests are
// long, and have words of everything.
Recalled WithOneDigest(Recalled recalled, const conversation::Ledger& ledger);
// Of the items that are there as the newest, not because they fit: at most kNewestOfAFirstPrompt,
// a user's first.
Recalled WithFewOfTheNewest(Recalled recalled);

}  // namespace sidecar
