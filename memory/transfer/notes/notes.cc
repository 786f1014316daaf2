// Fields as YAML by base::DumpYaml, lines of the body with a backslash where they must have one.
#include "memory/transfer/notes/notes.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "lib/base/json/yaml.h"
#include "lib/base/text/text.h"
#include "memory/transfer/notes/markdown.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;

namespace {

constexpr std::string_view kMark = "---";
constexpr std::string_view kOurKinds[] = {"export", "session", "observation", "trace", "end"};

std::string_view Bare(std::string_view line) {
  while (!line.empty() && std::string_view("\n\r \t").find(line.back()) != line.npos)
    line.remove_suffix(1);
  return line;
}

// A line that has a meaning for notes, behind any number of backslashes.
bool IsEscapable(std::string_view line) {
  while (line.starts_with('\\')) line.remove_prefix(1);
  line = Bare(line);
  return line == kMark || line == kFooterMark;
}

template <class Change>
std::string EachLine(std::string_view text, const Change& change) {
  std::string changed;
  changed.reserve(text.size() + 16);
  for (size_t begin = 0;;) {
    const size_t end = text.find('\n', begin);
    change(text.substr(begin, end - begin), changed);
    if (end == text.npos) return changed;
    changed += '\n';
    begin = end + 1;
  }
}

std::string Escaped(std::string_view body) {
  return EachLine(body, [](std::string_view line, std::string& out) {
    if (IsEscapable(line)) out += '\\';
    out += line;
  });
}

std::string Unescaped(std::string_view body) {
  return EachLine(body, [](std::string_view line, std::string& out) {
    if (line.starts_with('\\') && IsEscapable(line)) line.remove_prefix(1);
    out += line;
  });
}

// The body without the footer, and without the empty lines that NoteOf puts around it.
// Only our notes have a footer.
std::string_view Content(std::string_view body, bool ours, std::string& behind) {
  size_t footer = body.npos;
  for (size_t begin = 0; ours && begin < body.size();) {
    const size_t end = std::min(body.find('\n', begin), body.size());
    if (Bare(body.substr(begin, end - begin)) == kFooterMark) footer = begin;
    begin = end + 1;
  }
  if (footer != body.npos) behind = body.substr(footer);
  body = body.substr(0, footer);
  if (body.starts_with("\r\n"))
    body.remove_prefix(2);
  else if (body.starts_with('\n'))
    body.remove_prefix(1);
  for (std::string_view end : {"\n\n", "\r\n", "\n"}) {
    if (!body.ends_with(end)) continue;
    body.remove_suffix(end.size());
    break;
  }
  return body;
}

bool IsTagByte(unsigned char c) {
  return c >= 0x80 || std::isalnum(c) || c == '_' || c == '-' || c == '/';
}

}  // namespace

std::string NoteOf(const Json& front, std::string_view body, std::string_view footer) {
  std::string note(kMark);
  note += "\n" + base::DumpYaml(front);
  note += kMark;
  note += "\n\n" + Escaped(body) + "\n\n";
  if (!footer.empty()) {
    note += kFooterMark;
    note += "\n" + std::string(footer) + "\n\n";
  }
  return note;
}

Json FrontOf(const api::Observation& row) {
  Json front = api::EncodeObservation(row);
  for (const char* elsewhere : {"content", "normalized_hash"}) front.erase(elsewhere);
  for (const char* field : {"topic_key", "tags", "source"}) {
    if (front[field].empty() || front[field] == "") front.erase(field);
  }
  front["kind"] = "observation";
  return front;
}

Json FrontOf(const api::Session& session) {
  Json front = api::EncodeSession(session);
  front.erase("summary");
  front["kind"] = "session";
  return front;
}

bool IsNoteMark(std::string_view line) { return Bare(line) == kMark; }

bool IsFieldLine(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == 0 || colon == line.npos) return false;
  if (colon + 1 < line.size() && line[colon + 1] != ' ' && line[colon + 1] != '\r') return false;
  return std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
}

ParsedNote DecodeNote(std::string_view given) {
  // Bytes that are no UTF-8 become U+FFFD, as everywhere that a text of a person is read.
  std::string mended;
  if (!base::IsUtf8(given) || given.find('\0') != given.npos) {
    mended = base::ToUtf8(given);
    std::replace(mended.begin(), mended.end(), '\0', ' ');
    given = mended;
  }
  std::string_view text = WithoutByteOrderMark(given);
  ParsedNote note;
  std::string_view rest = text;
  std::string lines;  // of the front that are no fields
  bool ours = false;
  if (IsNoteMark(TakeLine(rest))) {
    const std::string_view fields = rest;
    while (!rest.empty()) {
      const size_t before = static_cast<size_t>(rest.data() - fields.data());
      const std::string_view line = TakeLine(rest);
      if (!IsNoteMark(line) && Bare(line) != "...") continue;
      const std::string_view yaml = fields.substr(0, before);
      auto parsed = base::ParseYaml(yaml);
      ours = parsed && parsed->is_object() &&
             base::IsOneOf(base::StringAt(*parsed, {"kind"}), kOurKinds);
      note.front = ours ? *std::move(parsed) : FieldsOfFront(yaml, lines);
      // Text between two rules, no field at all: it is no front.
      if (note.front.empty() && !lines.empty()) {
        lines.clear();
      } else {
        text = rest;
      }
      break;
    }
  }
  note.body = Unescaped(Content(text, ours, note.footer));
  if (!lines.empty()) note.body = lines + (note.body.empty() ? "" : "\n") + note.body;
  return note;
}

std::vector<std::string> TagsInText(std::string_view text) {
  std::vector<std::string> tags;
  std::set<std::string> known;
  for (size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
    if (at > 0 && !std::isspace(static_cast<unsigned char>(text[at - 1]))) continue;
    size_t end = at + 1;
    while (end < text.size() && IsTagByte(static_cast<unsigned char>(text[end]))) ++end;
    std::string tag(text.substr(at + 1, end - at - 1));
    const bool number =
        std::all_of(tag.begin(), tag.end(), [](unsigned char c) { return std::isdigit(c); });
    if (!number && known.insert(tag).second) tags.push_back(std::move(tag));
  }
  return tags;
}

bool IsSessionNote(const ParsedNote& note) {
  return base::StringAt(note.front, {"kind"}) == "session";
}

Json RowOfNote(ParsedNote note, const ForeignDefaults& defaults) {
  Json& front = note.front;
  // As Claude Code writes its memories.
  for (const auto& [ours, theirs] :
       {std::pair("title", base::StringAt(front, {"name"})),
        std::pair("type", base::StringAt(front, {"metadata", "type"}))}) {
    if (!front.contains(ours) && !theirs.empty()) front[ours] = theirs;
  }
  if (base::StringAt(front, {"name"}) == base::StringAt(front, {"title"})) front.erase("name");
  note.front["content"] = std::move(note.body);
  return RowOfFields(std::move(note.front), defaults);
}

Json SessionOfNote(ParsedNote note) {
  note.front["summary"] = std::move(note.body);
  return std::move(note.front);
}

}  // namespace memory
