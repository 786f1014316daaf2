// Patterns instead of a model: they cost microseconds, and the same turn gives the same facts,
// which retries and tests need. The price is recall: only forms of the tables are found. Each
// sentence goes to the reader of English first, then to those of other languages.
#include "memory/extract/extract.h"

#include <string>
#include <utility>

#include "memory/extract/english/english.h"
#include "memory/extract/languages/east_asian.h"
#include "memory/extract/languages/european.h"
#include "memory/extract/prose/prose.h"
#include "memory/extract/prose/sentences.h"

namespace memory {
namespace {

void AddFacts(std::string_view message, Speaker speaker, std::vector<FactCandidate>& facts) {
  const std::string prose = ProseOf(message);
  EnglishReader english(speaker);
  for (const Sentence& sentence : SentencesOf(prose)) {
    if (facts.size() >= kMaxCandidates) break;
    const size_t before = facts.size();
    english.Read(sentence, facts);
    FactCandidate fact;
    if (facts.size() > before || sentence.asks || sentence.quoted) continue;
    if (ReadEuropean(sentence, speaker, fact) || ReadEastAsian(sentence, speaker, fact))
      facts.push_back(std::move(fact));
  }
}

}  // namespace

std::vector<FactCandidate> ExtractFacts(std::string_view user, std::string_view assistant) {
  std::vector<FactCandidate> facts;
  AddFacts(user, Speaker::kUser, facts);
  AddFacts(assistant, Speaker::kAssistant, facts);
  if (facts.size() > kMaxCandidates) facts.resize(kMaxCandidates);
  return facts;
}

}  // namespace memory
