// Three passes: removes blocks (injected memories, tags), then lines that are no prose, then the
// Markdown inside a line. Injected memories go first: a fact that is read back from a recalled
// memory would be stored again, and after a few turns a rumor would have many witnesses.
#include "memory/extract/prose/prose.h"

#include <algorithm>

#include "lib/base/text/text.h"
#include "memory/extract/prose/code_lines.h"

namespace memory {
namespace {

constexpr int kMostOpenTags = 16;   // tags without an end, of which each costs a search
constexpr size_t kMaxTagName = 64;  // bytes
constexpr size_t kMaxNote = 400;    // bytes between brackets

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ':' ||
         c == '-' || c == '_';
}

// "memory:context" at "<memory:context>", also with attributes; empty: no tag begins here.
std::string_view TagAt(std::string_view text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && end - at <= kMaxTagName && IsNameByte(text[end])) ++end;
  const bool ends = end < text.size() && (text[end] == '>' || text[end] == ' ');
  return ends ? text.substr(at + 1, end - at - 1) : std::string_view();
}

// Removes `<memory:…>` blocks at any place, and blocks of other tags that begin a line. A memory
// block without an end hides the rest of the text, since a recalled memory must not be read as a
// fact; another tag without an end is text.
std::string WithoutBlocks(const std::string& text) {
  if (text.find('<') == std::string::npos) return text;
  const std::string folded = base::FoldCase(text);
  // Folding may change the length of non-ASCII letters; then tags are found in their own case only.
  const std::string_view names = folded.size() == text.size() ? folded : text;
  std::string rest;
  size_t copied = 0;
  int open = 0;
  for (size_t at = names.find('<'); at != std::string_view::npos; at = names.find('<', at)) {
    const std::string_view name = TagAt(names, at);
    const bool memory = name.starts_with("memory:");
    const bool own_line = at == 0 || names[at - 1] == '\n';
    if (name.empty() || (!memory && (!own_line || open >= kMostOpenTags))) {
      ++at;
      continue;
    }
    const std::string close = "</" + std::string(name) + ">";
    const size_t end = names.find(close, at);
    if (end == std::string_view::npos && !memory) {
      ++open, ++at;
      continue;
    }
    rest.append(text, copied, at - copied).append("\n\n");
    if (end == std::string_view::npos) return rest;
    at = copied = end + close.size();
  }
  return rest.append(text, copied);
}

// Appends the line without emphasis and without notes of several words in brackets ("[shares a
// photo]"). A link keeps its text.
void AppendInline(std::string_view line, std::string& prose) {
  size_t no_bracket_before = 0;  // there is no ']' before this offset
  for (size_t at = 0; at < line.size();) {
    if (line.substr(at).starts_with("**")) {
      at += 2;
      continue;
    }
    if (line[at] != '[') {
      prose += line[at++];
      continue;
    }
    size_t end = line.find(']', std::max(at, no_bracket_before));
    if (end == std::string_view::npos) end = line.size();
    no_bracket_before = end;
    const std::string_view inner = line.substr(at + 1, end > at ? end - at - 1 : 0);
    const bool closed = end < line.size() && inner.size() <= kMaxNote;
    if (closed && line.substr(end + 1).starts_with('(')) {
      const size_t target = line.find(')', end);
      prose += inner;
      at = target == std::string_view::npos ? end + 1 : target + 1;
      if (target == std::string_view::npos) prose += line.substr(at), at = line.size();
      continue;
    }
    if (closed && inner.find(' ') != std::string_view::npos) {
      at = end + 1;
      continue;
    }
    prose += line[at++];
  }
}

// The text of a list item ("- text", "3. text"); other lines unchanged.
std::string_view WithoutBullet(std::string_view line, bool& item) {
  const size_t digits = line.find_first_not_of("0123456789");
  item = true;
  if (digits != std::string_view::npos && digits > 0 && digits <= 3 &&
      (line.substr(digits).starts_with(". ") || line.substr(digits).starts_with(") ")))
    return base::Trim(line.substr(digits + 2));
  for (const std::string_view bullet : {"- ", "* ", "+ ", "• "}) {
    if (line.starts_with(bullet)) return base::Trim(line.substr(bullet.size()));
  }
  item = false;
  return line;
}

// Whether the line is wrapped and continues in the next one. A short line, or one before a capital,
// ends its sentence.
bool Continues(std::string_view line, std::string_view next) {
  constexpr size_t kWrapped = 60;
  return line.size() >= kWrapped && !next.empty() && next[0] >= 'a' && next[0] <= 'z';
}

}  // namespace

std::string ProseOf(std::string_view message) {
  std::string text = base::ToUtf8(message.substr(0, base::BorderBefore(message, kMaxProse)));
  for (char& c : text) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F) c = ' ';
  }
  text = WithoutBlocks(text);
  std::string prose;
  std::string_view fence;
  std::string_view before;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view whole = std::string_view(text).substr(at, end - at);
    std::string_view line = base::Trim(whole);
    at = end + 1;
    const std::string_view mark = FenceOf(line);
    const bool fenced = !fence.empty() || !mark.empty();
    if (!mark.empty()) fence = fence.empty() ? mark : fence[0] == mark[0] ? "" : fence;
    bool item = false;
    if (fenced || IsPasted(line) || IsCode(whole)) {
      line = {};
    } else {
      line = WithoutBullet(line, item);
    }
    if (!prose.empty()) prose += !item && Continues(before, line) ? ' ' : '\n';
    AppendInline(line, prose);
    before = line;
  }
  return prose;
}

}  // namespace memory
