// The limit is checked on the merged fields before the write, so that a refused write changes
// nothing. An expired row is hidden at once and removed later: its version must not be reused while
// a client may send it in If-Match.
#include "lib/conversation/working/fields.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "lib/base/json/stored.h"
#include "lib/base/text/text.h"

namespace conversation {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

Status CheckTypes(const Json& fields) {
  const auto scratchpad = fields.find("scratchpad");
  if (scratchpad != fields.end() && !scratchpad->is_string() && !scratchpad->is_null()) {
    return Error{Code::kInvalid, std::string("fields.scratchpad must be a string, it is of type ") +
                                     scratchpad->type_name()};
  }
  const auto entities = fields.find("entities");
  if (entities == fields.end() || entities->is_null()) return {};
  const auto is_object = [](const Json& entity) { return entity.is_object(); };
  if (entities->is_array() && std::ranges::all_of(*entities, is_object)) return {};
  return Error{Code::kInvalid, "fields.entities must be a list of objects"};
}

// Expired or not, with its latest expiry; nullopt: no row. kInternal: it changed on disk.
Result<std::optional<WorkingFields>> Decode(const std::optional<FieldsRow>& row,
                                            const FieldTime& time) {
  if (!row) return std::optional<WorkingFields>();
  ASSIGN_OR_RETURN(Json fields, base::ParseStored(row->fields, nullptr));
  if (!row->sound || !fields.is_object()) {
    return Error{Code::kInternal,
                 "the disk changed the working memory of this conversation; delete it"};
  }
  const int64_t expires_ms =
      time.refreshes.Latest(row->conversation, {row->version, row->expires_ms});
  return std::optional(WorkingFields{std::move(fields), row->version, row->ttl_ms, expires_ms});
}

Result<std::optional<WorkingFields>> FindFields(Rows& rows, const std::string& conversation,
                                                const FieldTime& time) {
  ASSIGN_OR_RETURN(const auto row, rows.FindFields(conversation));
  return Decode(row, time);
}

Status CheckFieldLimits(Rows& rows, const std::string& owner, int64_t added_bytes, bool is_new) {
  ASSIGN_OR_RETURN(const FieldTotals totals, rows.TotalsOfFields(owner));
  if (is_new && totals.conversations >= kMaxFieldConversations) {
    return Error{Code::kFull, "there is working memory of " + std::to_string(totals.conversations) +
                                  " conversations, the limit is " +
                                  std::to_string(kMaxFieldConversations) +
                                  "; delete some or let it expire"};
  }
  if (added_bytes <= 0 || totals.bytes + added_bytes <= kMaxFieldsOfOwner) return {};
  return Error{Code::kFull, "the working memory of all conversations has " +
                                std::to_string(totals.bytes) + " bytes, the limit is " +
                                std::to_string(kMaxFieldsOfOwner) +
                                "; delete some or let it expire"};
}

Status StoreFields(Rows& rows, const std::string& owner, const std::string& conversation,
                   const WorkingFields& fields) {
  return rows.SaveFields(owner, {conversation, base::DumpJson(fields.fields),
                                 static_cast<int64_t>(BytesOfFields(fields.fields)), fields.version,
                                 fields.ttl_ms, fields.expires_ms});
}

}  // namespace

Result<FieldChanges> DecodeFieldChanges(const Json& body) {
  if (!body.is_object()) return Error{Code::kInvalid, "the body must be an object"};
  FieldChanges changes;
  const auto fields = body.find("fields");
  if (fields == body.end() || !fields->is_object())
    return Error{Code::kInvalid, "fields must be an object from names to values"};
  RETURN_IF_ERROR(CheckTypes(*fields));
  changes.fields = *fields;
  ASSIGN_OR_RETURN(const auto seconds, base::OptionalInt(body, "ttl_seconds"));
  if (!seconds) return changes;
  if (*seconds < 1 || *seconds > kMaxFieldTtlSeconds) {
    return Error{Code::kInvalid, "ttl_seconds must be from 1 to " +
                                     std::to_string(kMaxFieldTtlSeconds) + ", it is " +
                                     std::to_string(*seconds)};
  }
  changes.ttl_ms = *seconds * 1000;
  return changes;
}

Result<std::optional<std::vector<std::string>>> DecodeFieldNames(
    std::string_view body, const std::optional<std::string>& query) {
  using Names = std::vector<std::string>;
  std::optional<Names> names;
  if (query) {
    names.emplace();
    for (size_t from = 0; from <= query->size();) {
      const size_t comma = std::min(query->find(',', from), query->size());
      if (comma > from) names->push_back(query->substr(from, comma - from));
      from = comma + 1;
    }
    // An empty list of names must not delete all fields.
    if (names->empty()) return Error{Code::kInvalid, "fields in the query must name a field"};
  }
  if (base::IsBlank(body)) return names;
  ASSIGN_OR_RETURN(const Json json, base::ParseJson(body));
  if (!json.is_object()) return Error{Code::kInvalid, "the body must be an object"};
  const auto list = json.find("fields");
  if (list == json.end() || list->is_null()) return names;
  const auto is_string = [](const Json& name) { return name.is_string(); };
  if (!list->is_array() || !std::ranges::all_of(*list, is_string))
    return Error{Code::kInvalid, "fields must be a list of names"};
  if (!names) names.emplace();
  for (const Json& name : *list) names->push_back(name.get<std::string>());
  return names;
}

Result<std::optional<int64_t>> DecodeIfMatch(const std::optional<std::string>& header) {
  std::string_view text = header ? std::string_view(*header) : "*";
  if (text == "*") return std::optional<int64_t>();
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  int64_t version = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (problem == std::errc() && end == text.data() + text.size() && version >= 0)
    return std::optional<int64_t>(version);
  return Error{Code::kInvalid, "If-Match must be a version such as \"3\" or *, it is " +
                                   base::Ellipsize(*header, 40)};
}

size_t BytesOfFields(const Json& fields) {
  size_t bytes = 0;
  for (const auto& [name, value] : fields.items())
    bytes += name.size() + base::DumpJson(value).size();
  return bytes;
}

Result<Json> MergeWorkingFields(Json fields, const Json& changes) {
  for (const auto& [name, value] : changes.items()) fields[name] = value;
  const size_t bytes = BytesOfFields(fields);
  if (bytes <= kMaxWorkingBytes) return fields;
  return Error{Code::kTooLarge, "the fields of this conversation would have " +
                                    std::to_string(bytes) + " bytes, the limit is " +
                                    std::to_string(kMaxWorkingBytes) +
                                    "; nothing was changed: delete fields or write smaller ones"};
}

Result<WorkingFields> ReadFields(Rows& rows, const std::string& conversation,
                                 const FieldTime& time) {
  ASSIGN_OR_RETURN(auto row, FindFields(rows, conversation, time));
  if (!row || row->expires_ms <= time.now_ms) return WorkingFields();
  return *std::move(row);
}

Result<WorkingFields> WriteFields(Rows& rows, const FieldWrite& write, const FieldTime& time) {
  ASSIGN_OR_RETURN(auto row, FindFields(rows, write.conversation, time));
  const bool is_new = !row;
  const int64_t given = row ? row->version : 0;  // also of expired fields
  const auto bytes_before = static_cast<int64_t>(row ? BytesOfFields(row->fields) : 0);
  WorkingFields fields = row && row->expires_ms > time.now_ms ? *std::move(row) : WorkingFields();
  if (write.expected && *write.expected != fields.version) {
    return Error{Code::kConflict, "the working memory of this conversation has version " +
                                      std::to_string(fields.version) + ", not " +
                                      std::to_string(*write.expected) + "; nothing was changed"};
  }
  ASSIGN_OR_RETURN(fields.fields,
                   MergeWorkingFields(std::move(fields.fields), write.changes.fields));
  const auto bytes = static_cast<int64_t>(BytesOfFields(fields.fields));
  RETURN_IF_ERROR(CheckFieldLimits(rows, write.owner, bytes - bytes_before, is_new));
  fields.version = given + 1;
  fields.ttl_ms = write.changes.ttl_ms.value_or(fields.ttl_ms);
  fields.expires_ms = time.now_ms + (fields.ttl_ms > 0 ? fields.ttl_ms : write.default_ttl_ms);
  RETURN_IF_ERROR(StoreFields(rows, write.owner, write.conversation, fields));
  return fields;
}

Status SetLife(Rows& rows, const std::string& conversation, int64_t ttl_ms, int64_t expires_ms) {
  ASSIGN_OR_RETURN(auto row, rows.FindFields(conversation));
  if (!row) return {};
  row->ttl_ms = ttl_ms;
  row->expires_ms = expires_ms;
  return rows.SaveFields("", *row);
}

Result<int64_t> DeleteFields(Rows& rows, const std::string& conversation,
                             const std::optional<std::vector<std::string>>& names,
                             const FieldTime& time) {
  auto row = FindFields(rows, conversation, time);
  if (!row && (names || row.error().code != Code::kInternal)) return row.error();
  WorkingFields fields;
  if (row) {
    if (!*row || (*row)->expires_ms <= time.now_ms) return int64_t{0};
    fields = **std::move(row);
  }
  const size_t before = fields.fields.size();
  if (names) {
    for (const std::string& name : *names) fields.fields.erase(name);
  } else {
    fields.fields = Json::object();
  }
  const auto deleted = static_cast<int64_t>(before - fields.fields.size());
  if (deleted == 0 && row) return deleted;
  ++fields.version;
  // Empty fields are expired; their row keeps the version for kKeepExpiredMs.
  if (fields.fields.empty()) fields.expires_ms = time.now_ms, fields.ttl_ms = 0;
  RETURN_IF_ERROR(StoreFields(rows, "", conversation, fields));
  return deleted;
}

Result<int64_t> RemoveExpiredFields(Rows& rows, int64_t now_ms, int64_t limit) {
  return rows.RemoveExpiredFields(now_ms - kKeepExpiredMs, limit);
}

Result<std::string> WalkFields(Rows& rows, const std::string& owner, const std::string& after,
                               int64_t limit, const FieldTime& time, const OnFields& on_fields) {
  ASSIGN_OR_RETURN(const auto page, rows.ListFields(owner, after, limit));
  for (const FieldsRow& row : page) {
    const auto fields = Decode(row, time);  // exports skip rows that changed on disk
    if (fields && (*fields)->expires_ms > time.now_ms)
      RETURN_IF_ERROR(on_fields(row.conversation, **fields));
  }
  return page.empty() ? "" : page.back().conversation;
}

}  // namespace conversation
