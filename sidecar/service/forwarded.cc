// The fields with these names are the policy's in every row: project, Agent, writer, settings.
#include "sidecar/service/forwarded.h"

#include <algorithm>

#include "lib/api/memory_api.h"
#include "lib/api/operations/operations.h"
#include "lib/base/text/text.h"
#include "sidecar/redaction/redacted_names.h"

namespace sidecar {
namespace {

using base::Json;

bool Has(const std::vector<api::Field>& fields, std::string_view name) {
  return std::ranges::find(fields, name, &api::Field::name) != fields.end();
}

std::string PathOf(const api::Operation& row, const Forwarded& request,
                   const redaction::Redactor& redactor) {
  std::string path;
  for (const std::string& segment : base::Split(row.path.substr(1), '/')) {
    path += "/";
    if (!segment.starts_with('{')) {
      path += segment;
      continue;
    }
    const std::string name = segment.substr(1, segment.size() - 2);
    const auto field = std::ranges::find(row.parameters, name, &api::Field::name);
    redaction::Redactor::Counts counts;
    const std::string& value = request.parameters.at(name);
    path += http::PercentEncode(field->redacted ? redactor.Redact(value, counts) : value);
  }
  return path;
}

std::string QueryOf(const api::Operation& row, const Forwarded& request, const api::Policy& policy,
                    const std::string& conversation) {
  // By its Agent instead of a project.
  const bool named = Has(row.parameters, "as") && !Has(row.parameters, "project");
  std::string query = named ? "?as=" + http::PercentEncode(policy.agent)
                            : "?project=" + http::PercentEncode(policy.project);
  for (const auto& [name, value] : request.query) {
    const bool of_policy = name == "project" || name == "as" || name == "conversation";
    if (of_policy || !Has(row.parameters, name)) continue;
    query += "&" + name + "=" + http::PercentEncode(value);
  }
  if (!conversation.empty()) query += "&conversation=" + http::PercentEncode(conversation);
  return query;
}

// The policy's fields of an object.
void SetFields(const api::Operation& row, const api::Policy& policy,
               const std::string& conversation, Json& body) {
  if (Has(row.body, "project") || Has(row.parameters, "project")) body["project"] = policy.project;
  if (Has(row.body, "source")) body["source"] = {{"origin", api::kOriginAgent}};
  // May the writer change a user's rows? Absent: no; the rows of traces always say it.
  body.erase("replace_user");
  if (Has(row.body, "conversation") || (policy.allow_admin && Has(row.body, "replace_user")))
    body["replace_user"] = policy.allow_admin;
  if (Has(row.body, "settings"))
    body["settings"] = api::EncodeIngestSettings(policy.auto_ingest, policy.personality);
  if (Has(row.body, "rules")) {
    body.erase("rules");
    if (!policy.store_rules.empty()) body["rules"] = api::EncodeStoreRules(policy.store_rules);
  }
  if (!conversation.empty()) body["conversation"] = conversation;
}

}  // namespace

std::optional<std::string> ConversationIn(const Forwarded& request) {
  const api::Operation& row = api::OperationNamed(request.name);
  if (!Has(row.parameters, "conversation") || row.path.find("{conversation}") != row.path.npos)
    return std::nullopt;
  if (request.body && request.body->is_object()) {
    std::string given = base::StringAt(*request.body, {"conversation"});
    if (!given.empty()) return given;
  }
  const auto given =
      std::ranges::find(request.query, "conversation", &std::pair<std::string, std::string>::first);
  return given == request.query.end() ? "" : given->second;
}

http::ClientRequest Outgoing(Forwarded request, const ActivePolicy& policy,
                             const std::string& conversation) {
  const api::Operation& row = api::OperationNamed(request.name);
  http::ClientRequest out;
  out.method = row.method;
  out.target =
      PathOf(row, request, policy.redactor) + QueryOf(row, request, policy.policy, conversation);
  const bool whole = row.body.empty() || row.body.front().name.empty();
  if (request.body && !whole) {
    RedactWrite(policy.redactor, *request.body);
    SetFields(row, policy.policy, conversation, *request.body);
  } else if (request.body) {
    redaction::Redactor::Counts counts;
    policy.redactor.RedactStrings(*request.body, counts);
  }
  if (request.body) out.body = base::DumpJson(*request.body);
  const std::pair<api::Trait, const char*> kConditions[] = {{api::kIfMatch, "If-Match"},
                                                            {api::kIfNoneMatch, "If-None-Match"}};
  for (const auto& [trait, name] : kConditions)
    if (const auto value = request.conditions.Get(name); value && row.Has(trait))
      out.headers.Set(name, *value);
  return out;
}

}  // namespace sidecar
