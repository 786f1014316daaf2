// Marks of files first, then what the first lines look like; other text is Markdown.
#include <algorithm>

#include "lib/base/archive/tar.h"
#include "lib/base/json/json.h"
#include "lib/base/text/text.h"
#include "memory/transfer/formats/body_formats.h"
#include "memory/transfer/formats/csv_records.h"
#include "memory/transfer/notes/note_files.h"
#include "memory/transfer/rows/row_kinds.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;

namespace {

Error NotTaken(const std::string& why) {
  return Error{Code::kInvalid, why + "; " + AcceptedBodies()};
}

std::string_view WithoutBlanks(std::string_view text) {
  return base::Trim(WithoutByteOrderMark(text));
}

bool IsJson(std::string_view text) { return text.starts_with('{') || text.starts_with('['); }

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
  if (base::StartsAsTar(beginning)) return std::string("obsidian");
  if (beginning.starts_with("PK\x03\x04"))
    return NotTaken("the body is a ZIP archive: unpack it and send its files");
  if (beginning.starts_with("\x1f\x8b"))
    return NotTaken("the body is compressed with gzip: send it unpacked");
  if (StartsAsNotes(beginning)) return std::string("markdown");
  if (StartsAsLines(beginning)) return std::string("jsonl");
  for (const Converter* one : Converters())
    if (one->starts_as_lines != nullptr && one->starts_as_lines(beginning))
      return std::string(one->name);
  if (StartsAsCsv(beginning)) return std::string("csv");
  const std::string_view text = WithoutBlanks(beginning);
  if (IsJson(text)) return std::string("auto");
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

namespace {

constexpr std::string_view kLineTypes[] = {"application/x-ndjson", "application/jsonl",
                                           "application/x-jsonlines"};
constexpr std::string_view kTarTypes[] = {"application/x-tar", "application/tar"};
constexpr std::string_view kFileTypes[] = {"application/vnd.sqlite3", "application/x-sqlite3"};
constexpr std::string_view kTableTypes[] = {"text/csv", "text/tab-separated-values"};

Error IsNot(std::string_view type, const std::string& what) {
  return NotTaken("the Content-Type is " + base::Ellipsize(type, 60) + ", and the body " + what);
}

bool IsJsonType(std::string_view type) {
  return type.ends_with("/json") || type.ends_with("+json");
}

// By the marks of files alone, or a text of JSON: other text is none of the type.
Result<std::string> FormatOfJson(std::string_view type, std::string_view beginning) {
  const std::string_view text = WithoutBlanks(beginning);
  // curl --json sends any export so.
  const bool export_of_ours =
      beginning.starts_with(kSqliteMagic) || base::StartsAsTar(beginning) ||
      (StartsAsNotes(beginning) && beginning.find(kExportFormat) != beginning.npos);
  if (export_of_ours || text.empty() || IsJson(text)) return FormatByBeginning(beginning);
  const auto json = base::ParseJson(text);
  if (json || text.starts_with('"'))
    return NotTaken("the body is JSON, and " + base::Ellipsize(text, 40) +
                    " is no list of memories");
  return IsNot(type,
               "is no JSON: send Markdown as text/markdown, a table as text/csv, another file "
               "as application/octet-stream");
}

}  // namespace

Result<std::string> FormatByType(std::string_view type, std::string_view beginning) {
  if (IsJsonType(type)) return FormatOfJson(type, beginning);
  if (base::IsOneOf(type, kTarTypes)) {
    const bool empty = beginning.find_first_not_of('\0') == beginning.npos && !beginning.empty();
    if (empty || base::StartsAsTar(beginning)) return std::string("obsidian");
    return IsNot(type, "is no tar archive");
  }
  if (base::IsOneOf(type, kFileTypes)) {
    if (beginning.starts_with(kSqliteMagic)) return std::string("sqlite");
    return IsNot(type, "is no SQLite file");
  }
  if (base::IsOneOf(type, kLineTypes)) {
    if (WithoutBlanks(beginning).starts_with('{')) return FormatByBeginning(beginning);
    return IsNot(type, "has no lines of JSON objects");
  }
  const bool table = base::IsOneOf(type, kTableTypes);
  if (!table && type != "text/markdown") return FormatByBeginning(beginning);
  if (base::StartsAsTar(beginning)) return std::string("obsidian");
  if (beginning.starts_with(kSqliteMagic) || beginning.starts_with("PK\x03\x04") ||
      beginning.starts_with("\x1f\x8b") || beginning.find('\0') != beginning.npos)
    return IsNot(type, "is no text");
  return std::string(table ? "csv" : "markdown");
}

}  // namespace memory
