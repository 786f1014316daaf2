// Each token is looked at by itself. "May", "sat" and "sun" are left out: they mostly are other
// words.
#include "memory/model/told_apart.h"

#include <algorithm>
#include <unordered_map>

#include "lib/base/text/identifier.h"
#include "lib/base/text/text.h"

namespace memory {
namespace {

// Words of one meaning, whose first word is their mark.
constexpr std::string_view kSameMark[] = {
    "monday mon montag",
    "tuesday tue tues dienstag",
    "wednesday wed mittwoch",
    "thursday thu thur thurs donnerstag",
    "friday fri freitag",
    "saturday samstag sonnabend",
    "sunday sonntag",
    "january jan januar",
    "february feb februar",
    "march märz",
    "april apr",
    "june juni",
    "july jul juli",
    "august aug",
    "september sep sept",
    "october oct oktober",
    "november nov",
    "december dec dezember",
    "one once eins",
    "two twice zwei",
    "three drei",
    "four vier",
    "five fünf",
    "six sechs",
    "seven sieben",
    "eight acht",
    "nine neun",
    "ten zehn",
    "eleven elf",
    "twelve zwölf",
    "thirteen dreizehn",
    "fourteen vierzehn",
    "fifteen fünfzehn",
    "sixteen sechzehn",
    "seventeen siebzehn",
    "eighteen achtzehn",
    "nineteen neunzehn",
    "twenty zwanzig",
    "thirty dreißig",
    "forty vierzig",
    "fifty fünfzig",
    "sixty sechzig",
    "seventy siebzig",
    "eighty achtzig",
    "ninety neunzig",
    "hundred hundert",
    "thousand tausend",
    "million",
    "billion",
    "half",
    "first erste ersten",
    "second zweite",
    "third dritte",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "not no never none nothing nobody nowhere neither nor without cannot cant dont doesnt "
    "didnt wont isnt arent wasnt werent shouldnt nicht kein keine keinen nie niemals ohne"};

const std::unordered_map<std::string, std::string_view>& Marks() {
  static const std::unordered_map<std::string, std::string_view> marks = [] {
    std::unordered_map<std::string, std::string_view> made;
    for (std::string_view same : kSameMark) {
      const std::string_view mark = same.substr(0, same.find(' '));
      while (!same.empty()) {
        const size_t end = std::min(same.find(' '), same.size());
        made.emplace(base::FoldCase(same.substr(0, end)), mark);
        same.remove_prefix(std::min(end + 1, same.size()));
      }
    }
    return made;
  }();
  return marks;
}

bool HasDigit(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The t of "isn't", after either apostrophe.
bool IsNegated(std::string_view word, std::string_view next) {
  if (word.empty() || (word.back() | 0x20) != 'n' || (next != "t" && next != "T")) return false;
  const std::string_view between(word.data() + word.size(),
                                 static_cast<size_t>(next.data() - word.data()) - word.size());
  return between == "'" || between == "\u2019";
}

}  // namespace

std::string TellingWordOf(std::string_view token, std::string_view next) {
  std::string folded = base::FoldCase(token);
  auto mark = Marks().find(folded);
  if (mark == Marks().end() && folded.ends_with('s'))  // Tuesdays, dienstags
    mark = Marks().find(folded.substr(0, folded.size() - 1));
  if (mark != Marks().end()) return std::string(mark->second);
  if (!next.empty() && IsNegated(token, next)) return "not";
  return HasDigit(folded) || base::IsIdentifier(token) ? folded : std::string();
}

std::vector<std::string> TellingWords(std::string_view text) {
  std::vector<std::string> found;
  const std::vector<std::string_view> tokens = base::Tokens(text);
  for (size_t i = 0; i < tokens.size(); ++i) {
    std::string word = TellingWordOf(tokens[i], i + 1 < tokens.size() ? tokens[i + 1] : "");
    if (!word.empty()) found.push_back(std::move(word));
  }
  return found;
}

}  // namespace memory
