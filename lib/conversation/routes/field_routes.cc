// Decodes, reads or changes the fields, encodes. Redacts values and names before a write, and names
// before a delete, which would not find them otherwise.
#include <optional>
#include <string>
#include <utility>

#include "lib/base/process/clock.h"
#include "lib/conversation/routes/host.h"
#include "lib/conversation/working/field_life.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;

constexpr int kPreconditionFailed = 412;

Json EncodeFields(FieldLife& life, const std::string& id, const WorkingFields& found) {
  Json answer = {
      {"conversation_id", id},    {"fields", found.fields}, {"bytes", BytesOfFields(found.fields)},
      {"version", found.version}, {"ttl_seconds", nullptr}, {"expires_at", nullptr}};
  if (found.version == 0) return answer;
  answer["ttl_seconds"] = life.TtlMs(found) / 1000;
  answer["expires_at"] = base::FormatTime(life.WallMs(found.expires_ms));
  return answer;
}

// A read renews the expiry, in memory while FieldRefreshes has room, else in the file.
Result<http::Response> GetFields(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  FieldLife& life = host.Fields();
  const std::string key = host.Key(id);
  WorkingFields found;
  bool noted = true;
  auto answer = host.Read([&](Rows& rows) -> Result<Json> {
    const FieldTime time = life.Now();
    ASSIGN_OR_RETURN(found, ReadFields(rows, key, time));
    if (found.version > 0) {
      found.expires_ms = time.now_ms + life.TtlMs(found);
      noted = life.refreshes().Note(key, {found.version, found.expires_ms});
    }
    return EncodeFields(life, id, found);
  });
  if (!answer || noted) return AsResponse(answer);
  return AsResponse(host.Write([&](Rows& rows) -> Result<Json> {
    RETURN_IF_ERROR(rows.RefreshFields({{key, {found.version, found.expires_ms}}}));
    return std::move(*answer);
  }));
}

Result<http::Response> PutFields(Host& host, const http::Request& request) {
  FieldWrite write;
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  ASSIGN_OR_RETURN(write.expected, DecodeIfMatch(request.headers.Get("If-Match")));
  ASSIGN_OR_RETURN(const Json body, base::ParseJson(request.body));
  ASSIGN_OR_RETURN(write.changes, DecodeFieldChanges(body));
  RETURN_IF_ERROR(host.Redact(write.changes.fields, Host::Text::kContent));
  FieldLife& life = host.Fields();
  write.owner = host.Key("");
  write.conversation = host.Key(id);
  write.default_ttl_ms = life.default_ttl_ms();
  const auto answer = host.Write([&](Rows& rows) -> Result<Json> {
    ASSIGN_OR_RETURN(const WorkingFields written, WriteFields(rows, write, life.Now()));
    return EncodeFields(life, id, written);
  });
  if (answer || answer.error().code != base::Code::kConflict) return AsResponse(answer);
  return http::JsonResponse(kPreconditionFailed,
                            {{"error", answer.error().message}, {"code", "precondition_failed"}});
}

Result<http::Response> DeleteTheFields(Host& host, const http::Request& request) {
  ASSIGN_OR_RETURN(const std::string id, ConversationId(request));
  ASSIGN_OR_RETURN(auto names, DecodeFieldNames(request.body, request.Query("fields")));
  if (names) {
    Json redacted = Json::object();  // as keys, like in a write
    for (const std::string& name : *names) redacted[name] = nullptr;
    RETURN_IF_ERROR(host.Redact(redacted, Host::Text::kContent));
    names->clear();
    for (const auto& name : redacted.items()) names->push_back(name.key());
  }
  FieldLife& life = host.Fields();
  return AsResponse(host.Write(
      [&](Rows& rows) -> Result<Json> {
        ASSIGN_OR_RETURN(const int64_t deleted,
                         DeleteFields(rows, host.Key(id), names, life.Now()));
        return Json{{"deleted", deleted}};
      },
      Host::Space::kFrees));
}

}  // namespace

std::vector<HostedHandler> FieldRoutes() {
  return {{"get_working_memory", GetFields},
          {"put_working_memory", PutFields},
          {"delete_working_memory", DeleteTheFields}};
}

}  // namespace conversation
