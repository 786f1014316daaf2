// Renders recalled sessions, memories and the task as the text that goes into a prompt: fenced as
// records, every item with id and source, inside the budget. The same memories give the same bytes.
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/conversation/ledger_item.h"
#include "sidecar/recall/recalled.h"

namespace sidecar {

inline constexpr size_t kMaxInjectedCharacters = 10'000;  // agents limit the answer of a hook
inline constexpr size_t kCharactersPerToken = 3;

struct Injection {
  std::string text;                                    // empty: nothing
  std::vector<conversation::LedgerItem> ledger_items;  // of the memories in the text
  std::vector<RecalledItem> items;                     // those in the text
};

// The blocks <memory:sessions> and <memory:context>, without items that the ledger has in the same
// version or as kInjected. Whole items are dropped from the end until the text has at most
// min(10,000, budget_tokens · 3) UTF-16 units. `task`, all of it or nothing, stands before them in
// <memory:task>; it takes its room first and counts only in the 10,000.
Injection RenderInjection(const Recalled& recalled, const conversation::Ledger& ledger,
                          int budget_tokens, const std::string& task = {});

// Stored text made inert (base::Inert); a bracket before a forged head becomes \u005B.
std::string InertRecord(std::string_view text);
// The trust class as a head shows it; an unknown class stands in quotes.
std::string TrustWord(const std::string& trust);
// The source as a head shows it: claimed names in quotes; without a name, the trust class.
std::string SourceWords(const RecalledItem& item);

size_t Utf16Units(std::string_view text);  // of UTF-8

}  // namespace sidecar
