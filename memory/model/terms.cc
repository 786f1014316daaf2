// Tokens by lib/base/text/identifier.h; each is cut into words, words into humps.
#include "memory/model/terms.h"

#include <algorithm>
#include <cstdint>

#include "lib/base/text/characters.h"
#include "lib/base/text/fold.h"
#include "lib/base/text/identifier.h"
#include "lib/base/text/text.h"

namespace memory {
namespace {

using base::Scalar;
using base::ScalarAt;

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}
bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }

void AppendUtf8(std::string& text, uint32_t code) {  // of three bytes
  text += static_cast<char>(0xE0 | code >> 12);
  text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
  text += static_cast<char>(0x80 | (code & 0x3F));
}

// Private characters, which unicode61 takes for letters.
constexpr uint32_t kPrivate = 0xE000, kPrivateLater = 0xF400, kPrivateJoint = 0xF8FE,
                   kPrivateNumber = 0xF8FD;

// Whether unicode61, which knows Unicode 6.1, takes the character for a letter of its own.
bool IsKnownLetter(uint32_t c) {
  if (c >= 0x0370 && c <= 0x03FF) return c != 0x03C2;
  return c < 0x0300 || (c >= 0x0400 && c <= 0x0481) || (c >= 0x048A && c <= 0x0523) ||
         (c >= 0x05D0 && c <= 0x05EA) || (c >= 0x0620 && c <= 0x064A) ||
         (c >= 0x3041 && c <= 0x3096) || (c >= 0x30A1 && c <= 0x30FF) ||
         (c >= 0x3400 && c <= 0x4DB5) || (c >= 0x4E00 && c <= 0x9FCB) ||
         (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0x20000 && c <= 0x2A6D6);
}

// A word of small letters, perhaps after a capital: most texts have nothing else.
bool IsPlain(std::string_view word) {
  if (!word.empty() && word[0] >= 'A' && word[0] <= 'Z') word.remove_prefix(1);
  return std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

// The words between the joints of a token, and the joints after each.
struct Words {
  std::vector<std::string_view> words, joints;
};

Words SplitToken(std::string_view token) {
  Words found;
  size_t begin = 0, end = 0;
  for (size_t at = 0; at < token.size();) {
    const Scalar c = ScalarAt(token, at);
    if (base::IsWordCharacter(c.code)) {
      if (end == begin || at > end) {
        if (end > begin) {
          found.words.push_back(token.substr(begin, end - begin));
          found.joints.push_back(token.substr(end, at - end));
        }
        begin = at;
      }
      end = at + c.size;
    }
    at += c.size;
  }
  if (end > begin) found.words.push_back(token.substr(begin, end - begin));
  return found;
}

constexpr size_t kShortestKey = 12;  // in base64: its short humps are no words

// Where scripts, and unless they alone also capitals and the T of a time, begin another word.
enum class Humps { kAll, kOfScripts };
std::vector<std::string_view> HumpsOf(std::string_view word, Humps which = Humps::kAll) {
  if (IsPlain(word)) return {word};
  struct At {
    size_t at;
    uint32_t script;
    bool upper, digit;
  };
  std::vector<At> letters;
  for (size_t at = 0; at < word.size();) {
    const Scalar c = ScalarAt(word, at);
    letters.push_back(
        {at, base::ScriptOf(c.code), base::IsUpperCase(c.code), c.code >= '0' && c.code <= '9'});
    at += c.size;
  }
  std::vector<std::string_view> humps;
  size_t begin = 0;
  uint32_t script = letters.empty() ? 0 : letters[0].script;
  for (size_t i = 1; i < letters.size(); ++i) {
    const At &before = letters[i - 1], &here = letters[i];
    const At* next = i + 1 < letters.size() ? &letters[i + 1] : nullptr;
    const bool lower_follows = next && !next->upper && next->script != 0;
    bool border = here.script != 0 && script != 0 && here.script != script;
    const bool upper = here.upper && which == Humps::kAll;
    if (upper && before.script != 0 && !before.upper) border = true;
    if (upper && (before.upper || before.digit) && lower_follows) border = true;
    if (upper && before.digit && next && next->digit && word[here.at] == 'T')
      border = true;  // 05T10
    if (here.script != 0) script = here.script;
    if (!border) continue;
    humps.push_back(word.substr(begin, here.at - begin));
    begin = here.at;
  }
  humps.push_back(word.substr(begin));
  const bool of_a_key =
      IsAscii(word) && word.size() >= kShortestKey && humps.size() * 3 > word.size();
  return of_a_key ? std::vector{word} : humps;
}

constexpr size_t kMostPieces = 64;  // of a token whose whole is one term
constexpr size_t kEndParts = 5;     // a path is found by so many of its last parts, at most

bool IsVersion(std::string_view word) {  // v1
  return word.size() > 1 && word[0] == 'v' &&
         std::all_of(word.begin() + 1, word.end(), IsAsciiDigit);
}

// Several words as one term: as they are, and by their humps.
class Wholes {
 public:
  Wholes(const Words& found, std::vector<std::string>& terms) : found_(found), terms_(terms) {
    const bool several = found.words.size() > 1;
    for (std::string_view word : found.words) {
      std::string folded = base::FoldWord(word);
      if (several && IsVersion(folded)) folded.erase(0, 1);
      std::vector<std::string>& humps = humps_.emplace_back();
      for (std::string_view hump : HumpsOf(word)) humps.push_back(base::FoldWord(hump));
      if (humps.size() == 1) humps[0] = folded;
      words_.push_back({std::move(folded)});
    }
  }
  // Of words[first, last).
  void Add(size_t first, size_t last) {
    AddTerm(Join(words_, first, last));
    AddTerm(Join(humps_, first, last));
  }
  void AddBetween(std::string_view borders) {
    for (size_t first = 0, i = 0; i < words_.size(); ++i) {
      const bool last = i + 1 == words_.size();
      if (!last && found_.joints[i].find_first_of(borders) == std::string_view::npos) continue;
      Add(first, i + 1);
      first = i + 1;
    }
  }
  // The last parts of a path or of a name, and an address without its scheme.
  void AddEnds() {
    bool named = true;  // the end of an address or a version is none
    size_t parts = 1;
    for (size_t i = words_.size() - 1; i > 0 && parts < kEndParts; --i) {
      named = named && !IsAsciiDigit(found_.words[i][0]);
      const std::string_view joint = found_.joints[i - 1];
      const bool path = joint.find_first_of("/\\") != std::string_view::npos;
      if (!path && !(named && (joint == "." || joint == "::"))) continue;
      ++parts;
      Add(i, words_.size());
    }
    if (found_.joints[0] == "://") Add(1, words_.size());
  }
  // Of 2024-01-05T10:22.
  void AddDate() {
    if (words_.size() < 3 || humps_[2].size() < 2 || found_.words[0].size() != 4) return;
    if (found_.joints[0] != "-" || found_.joints[1] != "-") return;
    AddTerm(words_[0][0] + kJoint + words_[1][0] + kJoint + humps_[2][0]);
  }

 private:
  using Parts = std::vector<std::vector<std::string>>;
  static std::string Join(const Parts& parts, size_t first, size_t last) {
    std::string joined;
    size_t count = 0;
    for (size_t i = first; i < last; ++i) {
      for (const std::string& part : parts[i]) {
        if (count++ > 0) joined += kJoint;
        joined += part;
      }
    }
    return count > 1 ? joined : std::string();
  }
  void AddTerm(const std::string& joined) {
    if (joined.empty()) return;
    std::string term = TermOf(joined);
    if (std::find(terms_.begin(), terms_.end(), term) == terms_.end())
      terms_.push_back(std::move(term));
  }
  const Words& found_;
  std::vector<std::string>& terms_;
  Parts words_, humps_;
};

CutToken CutJoined(std::string_view text) {
  CutToken token{std::string(text), {}, {}, {}, base::IsIdentifier(text)};
  const Words found = SplitToken(text);
  size_t pieces = 0;
  for (std::string_view word : found.words) {
    CutWord& cut = token.words.emplace_back();
    cut.term = TermOf(base::FoldWord(word));
    const std::vector<std::string_view> humps = HumpsOf(word);
    pieces += humps.size();
    if (humps.size() < 2 || pieces > kMostPieces) continue;
    const std::vector<std::string_view> scripts = HumpsOf(word, Humps::kOfScripts);
    auto add = [&](std::string_view hump) { cut.humps.push_back(TermOf(base::FoldWord(hump))); };
    if (scripts.size() > 1 && scripts.size() < humps.size()) std::ranges::for_each(scripts, add);
    std::ranges::for_each(humps, add);
  }
  if (pieces < 2 || pieces > kMostPieces) return token;  // nothing to join, or too much
  Wholes wholes(found, token.wholes);
  if (found.words.size() == 1 || token.identifier) wholes.Add(0, found.words.size());
  if (found.words.size() == 1 || !token.identifier) return token;
  for (const char* borders : {"/\\", "/\\:@#", "/\\:@#.", "/\\:@#-_+"}) wholes.AddBetween(borders);
  wholes.AddEnds();
  wholes.AddDate();
  return token;
}

// Pairs of letters with their marks.
CutToken CutRun(std::string_view text) {
  CutToken token{std::string(text), {}, {}, {}, false};
  const std::string folded = base::FoldWord(text);
  std::vector<std::string_view> letters;
  size_t begin = 0;
  for (size_t at = 0; at < folded.size();) {
    const Scalar c = ScalarAt(folded, at);
    if (base::IsMark(c.code) && at > begin) {
      letters.back() = std::string_view(folded).substr(begin, at + c.size - begin);
    } else {
      begin = at;
      letters.push_back(std::string_view(folded).substr(at, c.size));
    }
    at += c.size;
  }
  for (size_t i = 0; i < letters.size(); ++i) {
    token.grams.push_back(TermOf(letters[i]));
    if (i + 1 < letters.size())
      token.grams.push_back(
          TermOf(folded.substr(static_cast<size_t>(letters[i].data() - folded.data()),
                               letters[i].size() + letters[i + 1].size())));
  }
  return token;
}

void Add(std::string& terms, std::string_view term) {
  if (term.empty()) return;
  if (!terms.empty()) terms += ' ';
  terms += term;
}

bool IsAsciiPunctuation(char c) {
  return static_cast<unsigned char>(c) < 0x80 &&
         !base::IsWordCharacter(static_cast<unsigned char>(c));
}

std::string_view WithoutPunctuation(std::string_view text) {
  while (!text.empty() && IsAsciiPunctuation(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsAsciiPunctuation(text.back())) text.remove_suffix(1);
  return text;
}

// Whether unicode61 folds the word to the same term: letters that both know to be one.
bool FoldsAlike(std::string_view word, std::string_view term) {
  if (word == term) return true;
  if (base::CountCharacters(word) != base::CountCharacters(term)) return false;
  for (size_t at = 0; at < word.size();) {
    const Scalar c = ScalarAt(word, at);
    const bool latin = c.code < 0x80 || (c.code >= 0xC0 && c.code <= 0xFF && c.code != 0xD8 &&
                                         c.code != 0xF8 && c.code != 0xDF);
    const bool plain = (c.code >= 0x0391 && c.code <= 0x03A9) ||
                       (c.code >= 0x03B1 && c.code <= 0x03C9 && c.code != 0x03C2) ||
                       (c.code >= 0x0410 && c.code <= 0x044F);
    if (!latin && !plain) return false;
    at += c.size;
  }
  return true;
}

void AddTermsOf(std::string_view chunk, Indexed indexed, std::string& terms) {
  const std::string_view word = WithoutPunctuation(chunk);
  const bool as_it_is = indexed == Indexed::kAsItIs;
  if (as_it_is && IsPlain(word)) return;
  const bool ascii = as_it_is && IsAscii(chunk);
  const std::vector<CutToken> tokens = CutText(chunk);
  const bool alone = as_it_is && tokens.size() == 1 && tokens[0].words.size() == 1;
  for (const CutToken& token : tokens) {
    for (const std::string& whole : token.wholes) Add(terms, whole);
    for (const std::string& gram : token.grams) Add(terms, gram);
    for (const CutWord& one : token.words) {
      if (!ascii && !(alone && FoldsAlike(word, one.term))) Add(terms, one.term);
      for (const std::string& hump : one.humps) Add(terms, hump);
    }
  }
}

}  // namespace

std::string TermOf(std::string_view folded) {
  std::string term;
  for (size_t at = 0; at < folded.size();) {
    const Scalar c = ScalarAt(folded, at);
    if (c.code == static_cast<uint32_t>(kJoint)) {
      AppendUtf8(term, kPrivateJoint);
    } else if (IsKnownLetter(c.code)) {
      term += folded.substr(at, c.size);
    } else if (c.code >= 0x0900 && c.code < 0x1D00) {
      AppendUtf8(term, kPrivate + (c.code - 0x0900));
    } else if (c.code >= 0xA800 && c.code < 0xAC00) {
      AppendUtf8(term, kPrivateLater + (c.code - 0xA800));
    } else {
      AppendUtf8(term, kPrivateNumber);
      for (int shift = 20; shift >= 0; shift -= 4)  // no letters that Porter takes for an ending
        term += "0123456789bcdfgh"[c.code >> shift & 15];
    }
    at += c.size;
  }
  return term;
}

std::vector<CutToken> CutText(std::string_view text) {
  const std::string normalized = base::NormalizeForms(text);
  std::vector<CutToken> tokens;
  for (std::string_view token : base::Tokens(normalized)) {
    const bool run = base::IsUnspaced(ScalarAt(token, 0).code);
    tokens.push_back(run ? CutRun(token) : CutJoined(token));
  }
  return tokens;
}

std::string AddedTerms(std::string_view text, Indexed indexed) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  std::string terms;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = text.find_first_not_of(kBlanks, at);
    if (begin == std::string_view::npos) break;
    at = std::min(text.find_first_of(kBlanks, begin), text.size());
    AddTermsOf(text.substr(begin, at - begin), indexed, terms);
  }
  return terms;
}

}  // namespace memory
