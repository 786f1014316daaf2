// Renders recalled sessions and memories as the text that goes into a prompt: fenced as records,
// every item with id and source, inside the budget. The same memories give the same bytes. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sidecar/recall/recalled.h"
#include "sidecar/tables/ledger_mark.h"

namespace sidecar {

inline constexpr size_t kMaxInjectedCharacters = 10'000;  // limit of agents for a hook's answer
inline constexpr size_t kCharactersPerToken = 3;

struct Injection {
  std::string text;                 // empty: nothing
  std::vector<LedgerMark> marks;    // of what the text holds
  std::vector<RecalledItem> items;  // those in the text
};

// The blocks <memory:sessions> and <memory:context>, without items that the ledger has in the same
// version or as kInjected. Whole items are dropped from the end until the text has at most
// min(10,000, budget_tokens · 3) UTF-16 units.
Injection RenderInjection(const Recalled& recalled, const Ledger& ledger, int budget_tokens);

// Stored text made inert (base::Inert); a bracket that begins a forged head becomes \u005B.
std::string InertRecord(std::string_view text);
// The trust class as a head shows it; an unknown class stands in quotes.
std::string TrustWord(const std::string& trust);
// The source as a head shows it: claimed names in quotes; without a name, the trust class.
std::string SourceWords(const RecalledItem& item);

}  // namespace sidecar
