// A token is cut into its runs of word characters and the joints between them; both decide.
#include "lib/base/text/identifier.h"

#include <algorithm>
#include <cstdint>

#include "lib/base/text/characters.h"

namespace base {
namespace {

constexpr std::string_view kJoiners = "._-/\\:@+#";
constexpr size_t kLongestWordOfHex = 7;  // "defaced": longer words have other letters, too
constexpr size_t kShortestRandom = 12;   // of mixed case

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsJoiner(char c) { return kJoiners.find(c) != std::string_view::npos; }

struct Run {
  size_t begin, end;
  std::string_view Of(std::string_view text) const { return text.substr(begin, end - begin); }
};

bool IsShortHex(std::string_view run) {
  return run.size() <= 4 && std::all_of(run.begin(), run.end(), IsHex);
}

bool IsJoint(std::string_view joint, std::string_view before, std::string_view after) {
  if (joint.empty()) return false;
  if (joint.find_first_of("/\\") != std::string_view::npos) return true;
  if (joint == ":") return IsDigit(after.front()) || (IsShortHex(before) && IsShortHex(after));
  if (joint == "::") return true;
  if (joint.find_first_not_of('_') == std::string_view::npos) return true;
  return joint.size() == 1;
}

// Whether a / precedes the token: /usr/bin is a path, and "and/or" is none.
bool IsRooted(std::string_view text, size_t begin) {
  if (begin == 0 || (text[begin - 1] != '/' && text[begin - 1] != '\\')) return false;
  return begin == 1 || static_cast<unsigned char>(text[begin - 2]) <= ' ' ||
         std::string_view("\"'`([<{=,;:").find(text[begin - 2]) != std::string_view::npos;
}

// Runs of word characters of scripts with blanks.
std::vector<Run> RunsOf(std::string_view text) {
  std::vector<Run> runs;
  bool inside = false;
  for (size_t at = 0; at < text.size();) {
    const Scalar c = ScalarAt(text, at);
    const bool word = IsWordCharacter(c.code) && !IsUnspaced(c.code);
    if (word && !inside) runs.push_back({at, at});
    if (word) runs.back().end = at + c.size;
    inside = word;
    at += c.size;
  }
  return runs;
}

std::string_view Between(std::string_view text, const Run& before, const Run& after) {
  const std::string_view joint = text.substr(before.end, after.begin - before.end);
  return std::all_of(joint.begin(), joint.end(), IsJoiner) ? joint : std::string_view();
}

// Calls `visit` with each token and its runs.
template <class Visit>
void ForEachToken(std::string_view text, Visit&& visit) {
  const std::vector<Run> runs = RunsOf(text);
  for (size_t first = 0; first < runs.size();) {
    size_t last = first;
    while (last + 1 < runs.size() && IsJoint(Between(text, runs[last], runs[last + 1]),
                                             runs[last].Of(text), runs[last + 1].Of(text))) {
      ++last;
    }
    visit(runs.data() + first, last - first + 1);
    first = last + 1;
  }
}

// Alternates between cases and digits like a key: "xK4qPzR2tWv9".
bool LooksRandom(std::string_view run) {
  if (run.size() < kShortestRandom) return false;
  size_t changes = 0;
  for (size_t i = 1; i < run.size(); ++i)
    changes += IsUpper(run[i]) != IsUpper(run[i - 1]) || IsDigit(run[i]) != IsDigit(run[i - 1]);
  return changes * 2 > run.size();
}

// 20-year-old, 5-minute.
bool IsCountedWord(const std::vector<std::string_view>& runs) {
  if (runs.size() < 2 || !std::all_of(runs[0].begin(), runs[0].end(), IsDigit)) return false;
  return std::all_of(runs.begin() + 1, runs.end(), [](std::string_view run) {
    return run.size() >= 3 && std::all_of(run.begin(), run.end(), IsLower);
  });
}

// Most words: too short for an identifier, and without a digit.
bool IsPlainWord(std::string_view run) {
  return run.size() <= kLongestWordOfHex && std::none_of(run.begin(), run.end(), IsDigit);
}

bool Judge(std::string_view text, const Run* first, size_t count) {
  if (count == 1 && IsPlainWord(first->Of(text))) return false;
  std::vector<std::string_view> runs;
  std::string joints;
  for (size_t i = 0; i < count; ++i) {
    runs.push_back(first[i].Of(text));
    if (i > 0) joints += Between(text, first[i - 1], first[i]);
  }
  const bool hyphens = joints.find_first_not_of('-') == std::string::npos;
  for (std::string_view run : runs)
    if (std::any_of(run.begin(), run.end(), IsDigit)) return !(hyphens && IsCountedWord(runs));
  if (count == 1) {
    const bool hex = std::all_of(runs[0].begin(), runs[0].end(), IsHex);
    return (hex && runs[0].size() > kLongestWordOfHex) || LooksRandom(runs[0]);
  }
  const bool rooted = IsRooted(text, first->begin);
  if (joints.find_first_of("_\\:@#") != std::string::npos) return true;
  const auto slashes = std::count(joints.begin(), joints.end(), '/');
  if (slashes > 0) return slashes > 1 || rooted || joints != "/";
  const auto dots = std::count(joints.begin(), joints.end(), '.');
  if (dots == 0) return false;
  if (std::all_of(runs.begin(), runs.end(), [](auto run) { return run.size() == 1; })) return false;
  // "end.Next" lacks a blank.
  const std::string_view last = runs.back();
  return dots > 1 || !(IsUpper(last[0]) && last.size() > 1 && IsLower(last[1]));
}

}  // namespace

std::vector<std::string_view> Tokens(std::string_view text) {
  std::vector<std::string_view> tokens;
  auto add_unspaced = [&](size_t from, size_t to) {
    for (size_t at = from, start = from; at <= to;) {
      const Scalar c = at < to ? ScalarAt(text, at) : Scalar{0, 1};
      const bool word = at < to && IsWordCharacter(c.code);
      if (!word && at > start) tokens.push_back(text.substr(start, at - start));
      at += c.size;
      if (!word) start = at;
    }
  };
  size_t from = 0;
  ForEachToken(text, [&](const Run* runs, size_t count) {
    add_unspaced(from, runs->begin);
    from = runs[count - 1].end;
    const size_t begin = runs->begin - (IsRooted(text, runs->begin) ? 1 : 0);
    tokens.push_back(text.substr(begin, from - begin));
  });
  add_unspaced(from, text.size());
  return tokens;
}

bool IsIdentifier(std::string_view token) {
  size_t bytes = 0;
  bool all = true;
  ForEachToken(token, [&](const Run* runs, size_t count) {
    bytes += runs[count - 1].end - runs->begin;
    all = all && Judge(token, runs, count);
  });
  if (bytes == 0 || !all) return false;
  size_t unspaced = 0;
  for (size_t at = 0; at < token.size();) {
    const Scalar c = ScalarAt(token, at);
    unspaced += IsWordCharacter(c.code) && IsUnspaced(c.code);
    at += c.size;
  }
  return unspaced == 0;
}

std::string WithoutIdentifiers(std::string_view text) {
  std::string rest;
  size_t from = 0;
  ForEachToken(text, [&](const Run* runs, size_t count) {
    if (!Judge(text, runs, count)) return;
    rest += text.substr(from, runs->begin - from);
    rest += ' ';
    from = runs[count - 1].end;
  });
  return rest += text.substr(from);
}

}  // namespace base
