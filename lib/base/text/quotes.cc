// Runs of words are compared by hash: a collision, one in 2^64, erases four words too many.
#include "lib/base/text/quotes.h"

#include <algorithm>
#include <functional>

#include "lib/base/text/text.h"

namespace base {
namespace {

constexpr size_t kWords = 4;                   // in a row
constexpr size_t kCharactersOfScripts = 0xE0;  // first byte of scripts that often have no blanks

struct Word {
  size_t begin = 0, end = 0;  // in the text
  size_t hash = 0;
};

bool IsWordByte(unsigned char byte) {
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z');
}

// "…", quotation marks and dashes of U+2000 to U+2FFF, and CJK punctuation.
bool IsPunctuation(std::string_view rest) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(rest[i]); };
  if (rest.size() >= 3 && at(0) == 0xE2) return at(1) < 0xB0;
  if (rest.size() >= 3 && at(0) == 0xE3) return at(1) == 0x80 && at(2) < 0x80 + 0x20;
  return rest.size() >= 2 && at(0) == 0xC2;
}

size_t CharacterAt(std::string_view rest) {
  const auto byte = static_cast<unsigned char>(rest[0]);
  const size_t size = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
  return std::min(size, rest.size());
}

std::vector<Word> WordsOf(std::string_view text) {
  std::vector<Word> words;
  bool open = false;  // the last word continues
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const auto byte = static_cast<unsigned char>(rest[0]);
    const size_t size = CharacterAt(rest);
    if (!IsWordByte(byte) || IsPunctuation(rest)) {
      open = false;
    } else {
      const bool alone = byte >= kCharactersOfScripts;
      if (!open || alone) words.push_back({at, at, 0});
      words.back().end = at + size;
      open = !alone;
    }
    at += size;
  }
  for (Word& word : words) {
    word.hash = std::hash<std::string>()(FoldCase(text.substr(word.begin, word.end - word.begin)));
  }
  return words;
}

size_t HashOf(const std::vector<Word>& words, size_t first, size_t count) {
  size_t hash = count;
  for (size_t i = first; i < first + count; ++i)
    hash = (hash ^ words[i].hash) * 0x9E3779B97F4A7C15ULL + (hash >> 29);
  return hash;
}

}  // namespace

void Quotes::Add(std::string_view text, size_t fewest) {
  const std::vector<Word> words = WordsOf(text);
  if (words.size() < fewest) return;
  const size_t count = std::min(words.size(), kWords);
  for (size_t i = 0; i + count <= words.size(); ++i) runs_[count].insert(HashOf(words, i, count));
}

std::optional<std::string> Quotes::EraseFrom(std::string_view text) const {
  const std::vector<Word> words = WordsOf(text);
  std::vector<bool> quoted(words.size());
  for (size_t count = 1; count <= kWords; ++count) {
    if (runs_[count].empty()) continue;
    for (size_t i = 0; i + count <= words.size(); ++i) {
      if (runs_[count].contains(HashOf(words, i, count)))
        std::fill_n(quoted.begin() + static_cast<std::ptrdiff_t>(i), count, true);
    }
  }
  // A summary may be cut inside a word: the text before "…" is a part of the quote's next word.
  for (size_t i = 1; i < words.size(); ++i) {
    if (quoted[i - 1] && text.substr(words[i].end).starts_with("…")) quoted[i] = true;
  }
  std::string rest;
  size_t kept_from = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (!quoted[i]) continue;
    rest += text.substr(kept_from, words[i].begin - kept_from);
    rest += kErased;
    while (i + 1 < words.size() && quoted[i + 1]) ++i;
    kept_from = words[i].end;
  }
  if (kept_from == 0) return std::nullopt;
  return rest.append(text.substr(kept_from));
}

}  // namespace base
