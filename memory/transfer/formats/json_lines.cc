// Lines of an export of ours, each an object with its kind.
#include <algorithm>

#include "lib/base/text/text.h"
#include "memory/api/json_elements.h"
#include "memory/transfer/formats/body_formats.h"
#include "memory/transfer/rows/bodies.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

Error Wrong(size_t line, const std::string& why) {
  return Error{Code::kInvalid, "line " + std::to_string(line) + ": " + why};
}

// Whether the counts of the last line are those of the lines before it.
bool IsWhole(const Json& end, const Importer& importer) {
  return std::ranges::all_of(KindRows(), [&](const KindRow& row) {
    const auto count = end.find(Plural(row.line));
    return count == end.end() || *count == importer.given(row.kind());
  });
}

// A line but the last; ignores unknown kinds, which are of a later version.
Status TakeRow(const std::string& kind, const Json& line, const Json& where, Importer& importer) {
  for (const KindRow& row : KindRows())
    if (kind == row.line) return importer.Take(row.kind(), line, where);
  if (kind == "aegis" && line.contains("hash"))
    return importer.TakeAegis(base::StringAt(line, {"key"}), line["hash"], where);
  const bool head = kind == "export" && line.contains("format");
  return head ? importer.SetFormat(line["format"]) : Status();
}

}  // namespace

bool StartsAsLines(std::string_view beginning) {
  const std::string_view line = beginning.substr(0, beginning.find('\n'));
  Result<Json> json = base::ParseJson(line);
  return json && json->is_object() && json->contains("kind");
}

Status ReadLines(http::BodyReader& body, Importer& importer) {
  size_t number = 0;
  bool ended = false;
  RETURN_IF_ERROR(ForEachLine(body, kMaxElementBytes, [&](std::string_view line) -> Status {
    ++number;
    if (base::Trim(line).empty()) return {};
    if (ended) return Wrong(number, "there is something behind the last line");
    const Result<Json> json = base::ParseJson(line);
    if (!json) return Error{json.error().code, Wrong(number, json.error().message).message};
    if (!json->is_object()) return Wrong(number, "it must be a JSON object");
    const std::string kind = base::StringAt(*json, {"kind"});
    ended = kind == "end";
    if (!ended) return TakeRow(kind, *json, {{"line", number}}, importer);
    if (IsWhole(*json, importer)) return {};
    return Wrong(number, "its counts are not those of the lines before it: some are missing");
  }));
  if (ended) return {};
  return Error{Code::kInvalid, "the import was cut off behind line " + std::to_string(number) +
                                   ": the last one must be {\"kind\":\"end\"} with the counts"};
}

}  // namespace memory
