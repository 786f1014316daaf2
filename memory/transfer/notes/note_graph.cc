// Names and links are sorted by digests at the end: linear but for the sort, whatever the names
// are.
#include "memory/transfer/notes/note_graph.h"

#include <algorithm>
#include <charconv>

#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "memory/transfer/notes/markdown.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Status;

namespace {

constexpr size_t kMostFolders = 8;  // that a link may name before a file

uint64_t HexDigits(std::string_view digits) {
  uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

std::string NumberKey(int64_t number) { return "#" + std::to_string(number); }  // no file's name

// The number in the id of an observation that was no trace, or of "folder/12-words", as files of
// earlier exports are called; 0: none.
int64_t NumberOfName(std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  if (const auto in_id = NumberInTraceId(name)) return *in_id;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = end == name.data() + name.size() || *end == '-';
  return error == std::errc() && whole && number > 0 ? number : 0;
}

// Words with a #, each a tag that the fields have too.
bool IsLineOfTags(std::string_view line, const Json& tags) {
  if (base::IsBlank(line) || !tags.is_array()) return false;
  const std::vector<std::string> words = base::Split(std::string(base::Trim(line)), ' ');
  return words.size() <= tags.size() &&
         std::all_of(words.begin(), words.end(), [&](const std::string& word) {
           return word.starts_with('#') &&
                  std::find(tags.begin(), tags.end(), word.substr(1)) != tags.end();
         });
}

// AgentOS writes tags and edges behind a trace's text; → its edges.
FoundLinks TakeEndOfAgentOs(ParsedNote& note) {
  FoundLinks links;
  std::string_view text = note.body;
  if (const size_t at = RelatedAt(text); at != text.npos) {
    links = RelatedIn(text.substr(at));
    text = WithoutEnd(text.substr(0, at));
  }
  const size_t line = text.rfind('\n');
  if (line != text.npos && IsLineOfTags(text.substr(line + 1), note.front.value("tags", Json())))
    text = WithoutEnd(text.substr(0, line));
  if (!base::IsBlank(text)) note.body = std::string(text);
  return links;
}

}  // namespace

void NoteGraph::AddPath(const std::string& path) {
  const std::string name = LinkName(path);
  const auto depth = static_cast<uint32_t>(std::count(name.begin(), name.end(), '/'));
  AddName(name, depth);
  size_t begin = name.size();
  for (size_t parts = 0; parts < kMostFolders && begin > 0; ++parts) {
    begin = name.rfind('/', begin - 1);
    if (begin == name.npos) return;  // that is the whole
    AddName(name.substr(begin + 1), depth);
  }
}

void NoteGraph::AddNumber(int64_t number) { AddName(NumberKey(number), 0); }

void NoteGraph::AddLinks(const FoundLinks& found, bool ours, const Json& where) {
  if (found.cut) {
    importer_.RefuseEdges(
        {Code::kTooLarge, "the note has more than " + std::to_string(kMaxNoteLinks) +
                              " links, those behind them are text"},
        where);
  }
  for (const NoteLink& link : found.links) {
    if (AddLink(link, ours) || cut_) continue;
    cut_ = true;
    importer_.RefuseEdges(
        {Code::kTooLarge, "the import has more than " + std::to_string(limits_.links) +
                              " links or " + std::to_string(limits_.kinds) +
                              " kinds of them, those from here on are text"},
        where);
  }
}

bool NoteGraph::AddLink(const NoteLink& link, bool ours) {
  if (links_.size() >= limits_.links) return false;
  auto kind = kinds_.find(link.kind);
  if (kind == kinds_.end()) {
    if (kinds_.size() >= limits_.kinds) return false;
    kind = kinds_.emplace(link.kind, static_cast<uint32_t>(kinds_.size())).first;
  }
  links_.push_back(
      {KeyOf(link.name), ours ? NumberOfName(link.name) : 0, link.weight, note_, kind->second});
  return true;
}

void NoteGraph::AddName(const std::string& name, uint32_t depth) {
  if (name.empty() || names_.size() >= limits_.names) return;
  names_.push_back({KeyOf(name), depth, note_});
}

NoteGraph::Key NoteGraph::KeyOf(const std::string& name) {
  const std::string digest = base::Sha256Hex(name);
  const std::string_view digits = digest;
  return {HexDigits(digits.substr(0, 16)), HexDigits(digits.substr(16, 16))};
}

int64_t NoteGraph::Find(const Key& key) const {
  const auto found = std::lower_bound(names_.begin(), names_.end(), Name{key, 0, 0});
  return found != names_.end() && found->key == key ? importer_.NumberOf(found->note) : 0;
}

Status NoteGraph::Resolve() {
  if (links_.empty()) return {};
  RETURN_IF_ERROR(importer_.Flush());  // the last notes get their numbers
  if (names_.size() >= limits_.names) {
    importer_.RefuseEdges(
        {Code::kTooLarge, "the import has more than " + std::to_string(limits_.names) +
                              " names of notes, links to those behind are text"},
        Json());
  }
  std::sort(names_.begin(), names_.end());
  std::vector<const std::string*> kinds(kinds_.size());
  for (const auto& [kind, at] : kinds_) kinds[at] = &kind;
  for (const Link& link : links_) {
    const int64_t from = importer_.NumberOf(link.from);
    int64_t to = Find(link.key);
    if (to == 0 && link.number != 0) to = Find(KeyOf(NumberKey(link.number)));
    if (from == 0 || to == 0 || from == to) continue;
    RETURN_IF_ERROR(importer_.TakeEdge(NumberedEdge{from, to, *kinds[link.kind], link.weight}));
  }
  return {};
}

bool IsOurNote(const ParsedNote& note) {
  const std::string kind = base::StringAt(note.front, {"kind"});
  return kind == "observation" || kind == "trace";
}

Status NoteTaker::Take(ParsedNote note, const Json& where, const std::string& path) {
  if (IsSessionNote(note))
    return importer_.Take(RowKind::kSession, SessionOfNote(std::move(note)), where);
  const bool ours = IsOurNote(note);
  const std::string id = base::StringAt(note.front, {"id"});
  std::optional<Json> trace = TakeTraceFields(note.front, defaults_.context);
  FoundLinks edges;
  if (ours)
    edges = RelatedIn(note.footer);
  else if (trace)
    edges = TakeEndOfAgentOs(note);
  Json row = RowOfNote(std::move(note), defaults_);
  graph_.Begin();
  if (!path.empty()) graph_.AddPath(path);
  if (trace) graph_.AddPath(TraceFileName(id));
  if (ours && row.contains("id")) graph_.AddNumber(row["id"].get<int64_t>());
  graph_.AddLinks(edges, ours, where);
  if (!ours && !path.empty())
    graph_.AddLinks(LinksIn(base::StringAt(row, {"content"})), false, where);
  RETURN_IF_ERROR(strict_ ? importer_.Take(RowKind::kObservation, row, where)
                  : ours  ? importer_.TakeNote(row, where)
                          : importer_.TakeForeign(row, where));
  if (!trace) return {};
  return importer_.Take(RowKind::kTrace, TraceOfNote(std::move(*trace), row, defaults_.now_ms),
                        where);
}

Status NoteTaker::Finish() { return graph_.Resolve(); }

}  // namespace memory
