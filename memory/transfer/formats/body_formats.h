// The formats of a body of JSON and JSON lines, of ours, of AgentOS and of other programs, and the
// detection of every format by its beginning. Not for notes and tables (note_files.h,
// csv_records.h).
#pragma once

#include <string>
#include <string_view>

#include "lib/http/message/message.h"
#include "memory/transfer/formats/converter.h"
#include "memory/transfer/rows/importer.h"

namespace memory {

// One JSON text. `defaults.format`: json (and agentops: the same), agentos-json, a converter's
// name, or auto: fields and elements decide. Errors as ReadElements; kInvalid: a format that is not
// ours.
base::Status ReadJsonBody(http::BodyReader& body, const ForeignDefaults& defaults,
                          Importer& importer);

// JSON lines of ours. kInvalid: a line that is no object, a count that is not what was read, or no
// last line, which is an export that was cut off; kTooLarge: a line over kMaxElementBytes.
base::Status ReadLines(http::BodyReader& body, Importer& importer);
// Whether a body that begins so is such lines: its first one is a whole object with a "kind".
bool StartsAsLines(std::string_view beginning);

// JSON lines of another program: an element each.
base::Status ReadForeignLines(http::BodyReader& body, const Converter& converter,
                              const ForeignDefaults& defaults, Importer& importer);

// Imports the rows of an element in this format; parts that were left out go into the report.
base::Status TakeForeignRows(const ForeignRows& made, const char* format, const base::Json& where,
                             ForeignDefaults defaults, Importer& importer);

// sqlite, obsidian, markdown, jsonl, csv, the name of a converter with lines; auto: JSON, whose
// fields decide. kInvalid: none of them; the error says what it looks like.
base::Result<std::string> FormatByBeginning(std::string_view beginning);

// The same for a body whose media type is given ("" for none). A type that names a format holds: a
// body of another form is kInvalid. application/json, which curl --json sends with any file, may be
// an export that its first bytes tell; its JSON is a list of memories, or an object that has some.
base::Result<std::string> FormatByType(std::string_view type, std::string_view beginning);

}  // namespace memory
