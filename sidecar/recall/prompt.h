// Renders what was recalled as the text that goes into a prompt: fenced as records, every item with
// its id and source, inside the budget. Pure: the same memories give the same bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/recall/recalled.h"
#include "sidecar/tables/ledger_mark.h"

namespace sidecar {

inline constexpr size_t kMaxInjectedCharacters = 10'000;  // what agents take from a hook
inline constexpr size_t kCharactersPerToken = 3;

struct Injection {
  std::string text;                 // empty: nothing
  std::vector<LedgerMark> marks;    // of what the text holds
  std::vector<RecalledItem> items;  // those in the text
};

// <memory:sessions> and <memory:context>, without what the ledger has in the same version or as
// kInjected; whole items are dropped from the end until the text has at most min(10,000,
// budget_tokens · 3) UTF-16 units.
Injection RenderInjection(const Recalled& recalled, const Ledger& ledger, int budget_tokens);

// Stored text as base::Inert has it, in which a bracket that begins a head like ours is \u005B.
std::string InertRecord(std::string_view text);
// Of a head: the class, in quotes when it is none that the server gives.
std::string TrustWord(const std::string& trust);
// Of a head: names that are claimed stand in quotes; without any it is the class.
std::string SourceWords(const RecalledItem& item);

}  // namespace sidecar
