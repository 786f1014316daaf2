// What a vault's place says is vault.cc.
#include "memory/transfer/notes/note_taking.h"

#include <algorithm>

#include "lib/base/text/text.h"
#include "memory/transfer/notes/note_trace.h"

namespace memory {

using base::Json;
using base::Status;

namespace {

std::string_view WithoutEndingLines(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text;
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
    text = WithoutEndingLines(text.substr(0, at));
  }
  const size_t line = text.rfind('\n');
  if (line != text.npos && IsLineOfTags(text.substr(line + 1), note.front.value("tags", Json())))
    text = WithoutEndingLines(text.substr(0, line));
  if (!base::IsBlank(text)) note.body = std::string(text);
  return links;
}

}  // namespace

bool IsOurNote(const ParsedNote& note) {
  const std::string kind = base::StringAt(note.front, {"kind"});
  return kind == "observation" || kind == "trace";
}

Status NoteTaker::Take(ParsedNote note, const Json& where, const std::string& path) {
  if (IsSessionNote(note)) return importer_.TakeSession(SessionOfNote(std::move(note)), where);
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
  RETURN_IF_ERROR(strict_ ? importer_.TakeObservation(row, where)
                  : ours  ? importer_.TakeNote(row, where)
                          : importer_.TakeForeign(row, where));
  if (!trace) return {};
  return importer_.TakeTrace(TraceOfNote(std::move(*trace), row, defaults_.now_ms), where);
}

Status NoteTaker::Finish() { return graph_.Resolve(); }

}  // namespace memory
