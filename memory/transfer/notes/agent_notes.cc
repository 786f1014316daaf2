// Files as Claude Code writes them: name, description, metadata.node_type and metadata.type.
#include "memory/transfer/notes/agent_notes.h"

#include <algorithm>
#include <cctype>

#include "lib/base/archive/note_folder.h"
#include "lib/base/text/text.h"
#include "memory/transfer/rows/foreign_rows.h"

namespace memory {

using base::Json;

namespace {

constexpr std::string_view kTypes[] = {"user", "feedback", "project", "reference"};
constexpr size_t kShortestSentence = 20;  // "Really? Yes." says too little

std::string TypeOf(const Json& front) {
  const std::string type = base::StringAt(front, {"metadata", "type"});
  return type.empty() ? base::StringAt(front, {"type"}) : type;
}

// A list item that begins with a link to a note: "- [Title](file.md) — what it is about".
bool IsLinkItem(std::string_view line) {
  if (!line.starts_with("- ") && !line.starts_with("* ") && !line.starts_with("+ ")) return false;
  line = base::Trim(line.substr(2));
  const size_t middle = line.find("](");
  if (!line.starts_with('[') || middle == line.npos) return false;
  const size_t end = line.find(')', middle);
  return end != line.npos && base::IsNoteFile(line.substr(middle + 2, end - middle - 2));
}

}  // namespace

bool IsAgentNote(const Json& front) {
  if (base::StringAt(front, {"metadata", "node_type"}) == "memory") return true;
  return !base::StringAt(front, {"name"}).empty() &&
         !base::StringAt(front, {"description"}).empty() && base::IsOneOf(TypeOf(front), kTypes);
}

void TakeAgentFields(Json& front) {
  const std::string type = TypeOf(front);
  if (!type.empty()) front["type"] = type;
  const auto metadata = front.find("metadata");
  if (metadata == front.end() || !metadata->is_object()) return;
  for (const char* kept : {"node_type", "type", "originSessionId"}) metadata->erase(kept);
  if (metadata->empty()) front.erase(metadata);
}

std::string TitleOfText(std::string_view text) {
  text = base::Trim(text);
  std::string_view line = base::Trim(text.substr(0, text.find('\n')));
  if (line.starts_with('#')) return TitleOf(line);
  for (size_t at = kShortestSentence; at + 2 < line.size(); ++at) {
    const bool ends = line[at] == '.' || line[at] == '!' || line[at] == '?';
    // A lower-case letter or a digit goes on: "etc. and", "e.g. 5".
    const auto next = static_cast<unsigned char>(line[at + 2]);
    if (!ends || line[at + 1] != ' ' || std::islower(next) || std::isdigit(next)) continue;
    line = line.substr(0, at + 1);
    break;
  }
  if (line.ends_with('.') && !line.ends_with("..")) line.remove_suffix(1);
  return TitleOf(line);
}

bool IsIndex(std::string_view text) {
  bool any = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = base::Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    if (!IsLinkItem(line)) return false;
    any = true;
  }
  return any;
}

}  // namespace memory
