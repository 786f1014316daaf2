// Maps rows of other programs' exports to ours, as JSON. Pure. A field of the wrong type stays as
// it is: the validation that every row passes names the error.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "memory/store/trace.h"

namespace memory {

// What rows get that do not say it themselves.
struct ForeignDefaults {
  std::string format;  // csv, mem0, …: in the ids of the sessions that are made for them
  std::string project = "imported";
  int64_t now_ms = 0;    // when they come
  TraceContext context;  // whose a trace is that does not say it
  std::string SessionOf(const std::string& project) const;
};

// A flat row: content, and title, type, tags, project, scope, topic_key, session_id, created_at,
// updated_at under these and other usual names. Without a title it is the content's first line. The
// trust class is import, and a number or a source is only that of a note of ours (kind). A scope of
// another program becomes a tag. Every other field that says something is a line "name: value"
// behind the content.
base::Json RowOfFields(base::Json fields, const ForeignDefaults& defaults);

// The same as a trace (Importer::TakeForeign): without a type episodic, without a scope of a trace
// the user's; every other field is metadata.
base::Json EpisodeOfFields(base::Json fields, const ForeignDefaults& defaults);

// mem0: one memory of get_all, of a search or of the platform's export.
base::Json RowOfMem0(const base::Json& memory, const ForeignDefaults& defaults);

// engram: times are UTC without a zone, counters start at 1, the project may be missing. A prompt
// is an observation of type prompt. Bookkeeping of its synchronisation is left out.
base::Json SessionOfEngram(const base::Json& session, const ForeignDefaults& defaults);
base::Json RowOfEngram(const base::Json& row, const ForeignDefaults& defaults);
base::Json RowOfEngramPrompt(const base::Json& prompt, const ForeignDefaults& defaults);

// A title for a content that has none: its first line, shortened; "(untitled)".
std::string TitleOf(std::string_view content);

// RFC 3339 for a time as programs write it: RFC 3339, with a blank for the T, without a zone (UTC),
// a date, seconds or milliseconds since 1970. Anything else comes back as it is, null for "".
base::Json ForeignTime(const base::Json& time);

}  // namespace memory
