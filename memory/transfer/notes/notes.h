// Notes: a row as Markdown with its fields as YAML front matter, and back. Pure. Files of notes and
// archives are note_files.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/api/memory_api.h"
#include "memory/store/transfers.h"
#include "memory/transfer/rows/foreign_rows.h"

namespace memory {

inline constexpr size_t kMaxNoteBytes = 1 << 20;

// After this line come tags and links for Obsidian, which does not show the line. They are no part
// of the content.
inline constexpr std::string_view kFooterMark = "%% agent-memory %%";

// The fields in `front`, then the body. A line of the body that would end a note, or begin its
// footer, gets a backslash in front, which Markdown does not show either.
std::string NoteOf(const base::Json& front, std::string_view body, std::string_view footer = {});
base::Json FrontOf(const api::Observation& row);
base::Json FrontOf(const api::Session& session);

// Whether a line is the mark around the fields; whether a line may follow the first mark.
bool IsNoteMark(std::string_view line);
bool IsFieldLine(std::string_view line);

struct ParsedNote {
  base::Json front = base::Json::object();
  std::string body, footer;
};
// Loses nothing of a text: without fields, or with fields that do not end, all of it is the body.
// Bytes that are no UTF-8 become U+FFFD; lines among the fields that are no field precede the body.
ParsedNote DecodeNote(std::string_view text);

// The tags that Obsidian sees in a text: words after a #, each once.
std::vector<std::string> TagsInText(std::string_view text);

// A note with `kind: session` is a session, any other an observation.
bool IsSessionNote(const ParsedNote& note);
base::Json RowOfNote(ParsedNote note, const ForeignDefaults& defaults);
base::Json SessionOfNote(ParsedNote note);

// The fields of the lines between the marks, as people write them. Each field is parsed by itself:
// the value of one that is no YAML is its line, and a text (title: No) stays as written. Lines that
// belong to no field go to `rest`.
base::Json FieldsOfFront(std::string_view yaml, std::string& rest);

// The fields of a row; with a trace under AgentOS' names: id, scope, scopeId, strength,
// lastAccessed, retrievalCount, createdAt, and remindAt, emotions, metadata if set. The id of the
// observation is then `observation`, its scope `observation_scope` unless the trace's scope implies
// it.
base::Json FrontOf(const ExportedRow& row);
// The section with the row's edges; "" without edges.
std::string RelatedOf(const ExportedRow& row);

// Moves the trace fields out of `front` and renames the rest to ours. Owner and project default to
// `context`. nullopt: the note is no trace, its id does not begin with mt_.
std::optional<base::Json> TakeTraceFields(base::Json& front, const TraceContext& context);
// Builds the trace that an export would contain for the imported observation `row`. `lastAccessed`
// defaults to the row's creation time, else to `now_ms`.
base::Json TraceOfNote(base::Json fields, const base::Json& row, int64_t now_ms);

}  // namespace memory
