// Builds requests and decodes answers of the memory API; reads records of injections turn by turn,
// backwards.
#include "client/memory/calls.h"

#include <functional>

#include "lib/base/process/random.h"

namespace client {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr int64_t kMaxTurnsRead = 200;

// Calls `see` with the record of each turn that has one: newest conversation first, newest turn
// first, until `see` returns false or after kMaxTurnsRead turns.
using See = std::function<bool(Json record)>;
Status LookBack(const MemoryCalls& sidecar, const See& see) {
  ASSIGN_OR_RETURN(const Json page, sidecar.Get("/conversations", {{"limit", "20"}}));
  if (!page.is_object()) return {};
  int64_t looked = 0;
  for (const Json& conversation : page.value("conversations", Json::array())) {
    const std::string id = base::StringAt(conversation, {"id"});
    for (int64_t turn = conversation.value("turn", int64_t{0}); turn >= 0; --turn) {
      if (++looked > kMaxTurnsRead) return {};
      auto record =
          sidecar.Get("/v1/injections/" + http::PercentEncode(id) + "/" + std::to_string(turn));
      if (!record && record.error().code == base::Code::kNotFound) continue;
      if (!record) return record.error();
      if (record->is_object() && !see(std::move(*record))) return {};
    }
  }
  return {};
}

}  // namespace

std::string Target(std::string path, const Query& query) {
  char separator = '?';
  for (const auto& [name, value] : query) {
    if (value.empty()) continue;
    path += separator + name + "=" + http::PercentEncode(value);
    separator = '&';
  }
  return path;
}

Result<http::Response> MemoryCalls::Raw(http::ClientRequest request) const {
  auto answer = http_.Send(request);
  if (!answer) {
    if (answer.error().code != Code::kUnavailable) return answer.error();
    return Error{Code::kUnavailable, "no server answers at " + url_ +
                                         ": start the server, or say where it is with --url (" +
                                         answer.error().message + ")"};
  }
  any_partial_ = any_partial_ || answer->headers.Get("X-Partial") == "true";
  if (answer->status < 300) return answer;
  const auto body = base::ParseJson(answer->body);
  std::string why = body && body->is_object() ? base::StringAt(*body, {"error"}) : "";
  if (why.empty()) why = "the answer has no reason";
  if (answer->status == 401) why += "; give a token with --token-file, or --service-account";
  return Error{http::CodeOf(answer->status), "HTTP " + std::to_string(answer->status) + ": " + why};
}

Result<Json> MemoryCalls::Get(const std::string& path, const Query& query) const {
  http::ClientRequest request;
  request.target = Target(path, query);
  ASSIGN_OR_RETURN(const auto answer, Raw(std::move(request)));
  auto body = base::ParseJson(answer.body);
  if (!body) return base::Wrap(url_ + path, body.error());
  return body;
}

Result<Json> MemoryCalls::Send(const std::string& method, const std::string& path, const Json& body,
                               const Query& query) const {
  http::ClientRequest request;
  request.method = method;
  request.target = Target(path, query);
  request.headers.Set("Content-Type", "application/json");
  if (method == "POST") request.headers.Set("Idempotency-Key", base::RandomUuid());
  if (!body.is_null()) request.body = base::DumpJson(body);
  ASSIGN_OR_RETURN(const auto answer, Raw(std::move(request)));
  if (answer.body.empty()) return Json();
  return base::ParseJson(answer.body);
}

Result<Json> LastInjections(const MemoryCalls& sidecar, int64_t most) {
  Json found = Json::array();
  std::string conversation;
  RETURN_IF_ERROR(LookBack(sidecar, [&](Json record) {
    const std::string id = base::StringAt(record, {"conversation"});
    if (!found.empty() && id != conversation) return false;
    conversation = id;
    found.push_back(std::move(record));
    return static_cast<int64_t>(found.size()) < most;
  }));
  return found;
}

Result<Json> InjectionsOf(const MemoryCalls& sidecar, int64_t observation) {
  Json found = Json::array();
  RETURN_IF_ERROR(LookBack(sidecar, [&](const Json& record) {
    for (const Json& injection : record.value("injections", Json::array())) {
      for (const Json& item : injection.value("items", Json::array())) {
        if (base::At(item, {"injected"}) == nullptr || item["injected"] != true) continue;
        if (base::At(item, {"id"}) == nullptr || item["id"] != observation) continue;
        found.push_back({{"at", base::StringAt(injection, {"at"})},
                         {"conversation", base::StringAt(record, {"conversation"})},
                         {"turn", record.value("turn", Json(0))},
                         {"query", base::StringAt(injection, {"query"})}});
      }
    }
    return true;
  }));
  return found;
}

}  // namespace client
