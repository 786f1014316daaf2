// Decodes and merges fields.
#include "lib/conversation/working/fields.h"

#include <algorithm>
#include <charconv>
#include <utility>

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
  return Error{Code::kInvalid,
               "If-Match must be a version in quotes, it is " + base::Ellipsize(*header, 40)};
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

}  // namespace conversation
