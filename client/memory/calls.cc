// Builds requests and decodes answers of the memory API.
#include "client/memory/calls.h"

#include "lib/base/process/random.h"

namespace client {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

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

}  // namespace client
