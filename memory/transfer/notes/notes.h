// Notes: a row as Markdown with its fields as YAML front matter, and back. Pure. Files of notes and
// archives are note_files.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/api/memory_api.h"
#include "memory/transfer/rows/foreign_rows.h"

namespace memory {

inline constexpr size_t kMaxNoteBytes = 1 << 20;

// What follows is no part of the content: tags and links for Obsidian, which shows neither this
// line.
inline constexpr std::string_view kFooterMark = "%% agent-memory %%";

// The fields in `front`, then the body. A line of the body that would end a note, or begin its
// footer, gets a backslash in front, which Markdown does not show either.
std::string NoteOf(const base::Json& front, std::string_view body, std::string_view footer = {});
base::Json FrontOf(const api::Observation& row);
base::Json FrontOf(const api::Session& session);

// Whether a line, without its end, is the mark around the fields; whether one may stand behind the
// first mark.
bool IsNoteMark(std::string_view line);
bool IsFieldLine(std::string_view line);

struct ParsedNote {
  base::Json front = base::Json::object();
  std::string body, footer;
};
// Text without fields is a body alone; so is one whose fields do not end. Bytes that are no UTF-8
// become U+FFFD, lines among the fields that are none come before the body: nothing of a text is
// lost.
base::Result<ParsedNote> DecodeNote(std::string_view text);

// Words after a # in a text, as Obsidian takes them for tags, each once.
std::vector<std::string> TagsInText(std::string_view text);

// A note that says kind: session is one; else it is an observation.
bool IsSessionNote(const ParsedNote& note);
base::Json RowOfNote(ParsedNote note, const ForeignDefaults& defaults);
base::Json SessionOfNote(ParsedNote note);

}  // namespace memory
