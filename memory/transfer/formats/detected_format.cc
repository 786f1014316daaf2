// Marks of files first, then what the first lines look like; other text is Markdown.
#include "memory/transfer/formats/detected_format.h"

#include <algorithm>

#include "lib/base/json/json.h"
#include "lib/base/text/text.h"
#include "memory/transfer/formats/csv_records.h"
#include "memory/transfer/formats/json_lines.h"
#include "memory/transfer/formats/other_formats.h"
#include "memory/transfer/notes/note_files.h"
#include "memory/transfer/notes/tar_archive.h"
#include "memory/transfer/rows/format.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;

namespace {

Error NotTaken(const std::string& why) { return Error{Code::kInvalid, why + "; " + kTaken}; }

size_t CommasOf(std::string_view line) {
  return static_cast<size_t>(std::count(line.begin(), line.end(), ','));
}

// Two lines of as many fields, and no commas of prose, which a blank follows.
bool LooksLikeTable(std::string_view text) {
  const size_t end = text.find('\n');
  if (end == text.npos) return false;
  const std::string_view first = text.substr(0, end);
  const std::string_view second = text.substr(end + 1, text.find('\n', end + 1) - end - 1);
  return CommasOf(first) > 0 && CommasOf(first) == CommasOf(second) &&
         first.find(", ") == first.npos;
}

}  // namespace

Result<std::string> FormatByBeginning(std::string_view beginning) {
  if (beginning.starts_with(kSqliteMagic)) return std::string("sqlite");
  if (StartsAsTar(beginning)) return std::string("obsidian");
  if (beginning.starts_with("PK\x03\x04"))
    return NotTaken("the body is a ZIP archive: unpack it and send its files");
  if (beginning.starts_with("\x1f\x8b"))
    return NotTaken("the body is compressed with gzip: send it unpacked");
  if (StartsAsNotes(beginning)) return std::string("markdown");
  if (StartsAsLines(beginning)) return std::string("jsonl");
  if (StartsAsMcpMemory(beginning)) return std::string("mcp-memory");
  if (StartsAsCsv(beginning)) return std::string("csv");
  std::string_view text = beginning;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text = base::Trim(text);
  if (text.starts_with('{') || text.starts_with('[')) return std::string("auto");
  if (beginning.find('\0') != beginning.npos)
    return NotTaken("the body is neither text nor a file that is known here");
  if (text.empty()) return NotTaken("the body is empty, or begins with blanks alone");
  if (LooksLikeTable(text)) {
    return NotTaken(
        "line 1 looks like the head of a CSV table, and names no column content "
        "(format=markdown takes it as text)");
  }
  return std::string("markdown");
}

Result<std::string> FormatByType(std::string_view type, std::string_view beginning) {
  if (type == "text/csv" && !StartsAsTar(beginning)) return std::string("csv");
  if (type == "text/markdown" && !StartsAsTar(beginning)) return std::string("markdown");
  // JSON, but no list: else it would be a memory of one word.
  const auto json = type == "application/json" ? base::ParseJson(base::Trim(beginning))
                                               : Result<base::Json>(base::Json::object());
  if (json && !json->is_structured()) {
    return NotTaken("the body is JSON, and " + base::Ellipsize(base::DumpJson(*json), 40) +
                    " is no list of memories");
  }
  return FormatByBeginning(beginning);
}

}  // namespace memory
