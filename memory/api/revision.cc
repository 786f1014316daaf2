// Revisions as JSON and back.
#include "memory/api/revision.h"

#include "lib/base/process/clock.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

namespace {

Result<int64_t> TimeAt(const Json& json, const char* field) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, base::OptionalString(json, field));
  if (!text || text->empty()) return int64_t{0};
  Result<int64_t> time = base::ParseTime(*text);
  if (!time)
    return Error{Code::kInvalid, std::string("revisions: ") + field + " is not an RFC 3339 time"};
  return *time;
}

}  // namespace

Json EncodeRevision(const Revision& revision) {
  Json json = {{"revision", revision.revision},
               {"type", revision.type},
               {"title", revision.title},
               {"content", revision.content},
               {"tags", revision.tags},
               {"trust", revision.origin},
               {"written_at", base::FormatTime(revision.written_ms)}};
  if (revision.replaced_ms != 0) json["replaced_at"] = base::FormatTime(revision.replaced_ms);
  return json;
}

Json EncodeRow(const ExportedRow& row) {
  Json json = api::EncodeObservation(row.row);
  for (const Revision& old : row.revisions) json["revisions"].push_back(EncodeRevision(old));
  return json;
}

Result<ExportedRow> DecodeRow(const Json& json) {
  ExportedRow row;
  ASSIGN_OR_RETURN(row.row, api::DecodeObservation(json));
  const auto revisions = json.find("revisions");
  if (revisions == json.end() || revisions->is_null()) return row;
  if (!revisions->is_array()) return Error{Code::kInvalid, "revisions must be an array"};
  for (const Json& revision : *revisions) {
    ASSIGN_OR_RETURN(Revision old, DecodeRevision(revision));
    row.revisions.push_back(std::move(old));
  }
  return row;
}

Result<Revision> DecodeRevision(const Json& json) {
  if (!json.is_object()) return Error{Code::kInvalid, "a revision must be an object"};
  Revision revision;
  ASSIGN_OR_RETURN(std::optional<int64_t> number, base::OptionalInt(json, "revision"));
  revision.revision = number.value_or(0);
  if (revision.revision <= 0)
    return Error{Code::kInvalid, "revisions: revision must be a number from 1 on"};
  ASSIGN_OR_RETURN(revision.type, api::RequiredText(json, "type", api::kMaxType));
  ASSIGN_OR_RETURN(revision.title, api::RequiredText(json, "title", api::kMaxTitle));
  ASSIGN_OR_RETURN(revision.content, api::RequiredText(json, "content", api::kMaxContent));
  ASSIGN_OR_RETURN(revision.tags, api::DecodeTags(json));
  ASSIGN_OR_RETURN(revision.origin, api::OptionalText(json, "trust", api::kMaxSource));
  if (!api::IsOrigin(revision.origin)) revision.origin = api::kOriginAgent;
  ASSIGN_OR_RETURN(revision.written_ms, TimeAt(json, "written_at"));
  ASSIGN_OR_RETURN(revision.replaced_ms, TimeAt(json, "replaced_at"));
  return revision;
}

}  // namespace memory
