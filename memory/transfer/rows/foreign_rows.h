// Fields of other programs as rows of ours, as JSON, and what makes a row fit that does not. Pure.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/base/json/json.h"
#include "memory/store/trace.h"

namespace memory {

// Defaults of an import for fields that its rows lack.
struct ForeignDefaults {
  std::string format;  // csv, mem0, …: part of the ids of sessions that are made for rows
  std::string project = "imported";
  int64_t now_ms = 0;    // the time of the import
  TraceContext context;  // the owner of traces
  std::string SessionOf(const std::string& project) const;
};

// A flat row: content, and title, type, tags, project, scope, topic_key, session_id, created_at,
// updated_at under these and other usual names. The title defaults to the content's first line. The
// trust class is import; only a note of ours (kind) keeps its number and its source. A scope of
// another program becomes a tag. Every other field that says something is a line "name: value"
// after the content. A field of the wrong type stays as it is: SoftenedRow mends it.
base::Json RowOfFields(base::Json fields, const ForeignDefaults& defaults);

// The same as a trace (Importer::TakeForeign): the type defaults to episodic, the scope to the
// user's; every other field is metadata.
base::Json EpisodeOfFields(base::Json fields, const ForeignDefaults& defaults);

// For readers and converters.
inline std::string_view WithoutByteOrderMark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}
bool IsEmptyField(const base::Json& value);      // null, blank, or without elements
std::string ShownText(const base::Json& value);  // of a string itself, else its JSON
// The first of these fields that is not null, that is a text and not blank; else null, "".
base::Json FirstOf(const base::Json& object, std::initializer_list<const char*> names);
std::string TextOfFirst(const base::Json& object, std::initializer_list<const char*> names);
void RenameFields(base::Json& fields);                 // usual names become ours
void AddTag(base::Json& row, const std::string& tag);  // tags may be a text so far: "a, b"

// A title for a content that has none: its first line, shortened; "(untitled)".
std::string TitleOf(std::string_view content);

// RFC 3339 for a time as programs write it: RFC 3339, with a blank for the T, without a zone (UTC),
// a date, seconds or milliseconds since 1970. Anything else comes back as it is, null for "".
base::Json ForeignTime(const base::Json& time);

// Makes a row fit whatever its fields are: a field that cannot be read becomes a line "name: value"
// of the text. `problems` gets a sentence for each field that was moved or changed. A row without
// any text stays without it.
base::Json SoftenedRow(base::Json row, std::vector<std::string>& problems);
// The same for a session, which has no text: leaves out fields that cannot be read and cuts its
// summary. Returns a sentence for each. Only an id that cannot be read still refuses the session.
std::vector<std::string> SoftenSession(base::Json& session);
// The parts of a text over the limit of a content, in order, cut where a paragraph, a line or a
// word ends; one: it fits.
std::vector<std::string> PartsOfText(const std::string& text);
// Removes what may tie a row to rows of the store, a topic key and a session, and keeps both as
// lines. False: it has neither.
bool Detach(api::Observation& row);

}  // namespace memory
