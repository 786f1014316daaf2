// Decodes, reads the log, encodes. On the agent's listener, since any pod may reach the admin port.
#include "sidecar/routes/audit_routes.h"

#include <utility>

#include "lib/base/process/clock.h"
#include "lib/base/process/log.h"
#include "lib/http/message/page_query.h"
#include "sidecar/routes/handlers.h"
#include "sidecar/tables/audit_log.h"

namespace sidecar {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

constexpr int64_t kMostNumber = 1'000'000'000'000'000;
constexpr size_t kBesideRows = 1'000;  // bytes of an answer without its rows
constexpr size_t kMaxMarkBytes = 4'096;

Json EncodeRow(AuditRow row) {
  return {{"number", row.number},
          {"conversation", std::move(row.conversation)},
          {"event", std::move(row.event)},
          {"tool", std::move(row.tool)},
          {"details", std::move(row.details)},
          {"at", base::FormatTime(row.created_ms)}};
}

Json EncodeStatus(const AuditStatus& stands) {
  return {{"last", stands.last}, {"read_through", stands.through}, {"unread", stands.unread}};
}

Result<int64_t> DecodeThrough(const std::string& text) {
  ASSIGN_OR_RETURN(const Json body, base::ParseJson(text));
  const auto through = body.is_object() ? body.find("through") : body.end();
  const bool whole = through != body.end() && through->is_number_integer();
  if (whole && *through >= 1 && *through <= kMostNumber) return through->get<int64_t>();
  return Error{Code::kInvalid,
               R"(the body must be {"through": N}, the number of the last row that was read, at )"
               "least 1"};
}

}  // namespace

std::vector<http::Route> AuditRoutes::Routes() {
  return {{"GET", "/v1/audit", JsonHandler(this, &AuditRoutes::Get)},
          {"POST", "/v1/audit/read", JsonHandler(this, &AuditRoutes::MarkRead), kMaxMarkBytes}};
}

base::Status AuditRoutes::Admit() const {
  const auto policy = policies_.Current();
  if (policy && policy->policy.allow_admin) return {};
  return Error{Code::kDenied,
               "the policy of this agent does not let the audit log be read (memory.allowAdmin)"};
}

Result<Json> AuditRoutes::Get(const http::Request& request) {
  RETURN_IF_ERROR(Admit());
  ASSIGN_OR_RETURN(const auto from, WholeNumber(request, "from", 1, kMostNumber));
  ASSIGN_OR_RETURN(const int64_t limit, PageLimit(request));
  ASSIGN_OR_RETURN(const int64_t cursor, PageCursor(request));
  AuditStatus stands;
  ASSIGN_OR_RETURN(AuditPage page, state_.Read([&](sqlite::Database& db) -> Result<AuditPage> {
    ASSIGN_OR_RETURN(stands, ReadAuditStatus(db));
    const int64_t begin = cursor != 0 ? cursor : from.value_or(stands.through + 1);
    return ReadAudit(db, begin, limit, http::kMostAnswerBytes - kBesideRows);
  }));
  Json rows = Json::array();
  for (AuditRow& row : page.rows) rows.push_back(EncodeRow(std::move(row)));
  Json answer = EncodeStatus(stands);
  answer["rows"] = std::move(rows);
  http::AddNextPage(answer, page.more);
  return answer;
}

Result<Json> AuditRoutes::MarkRead(const http::Request& request) {
  RETURN_IF_ERROR(Admit());
  ASSIGN_OR_RETURN(const int64_t through, DecodeThrough(request.body));
  ASSIGN_OR_RETURN(const AuditStatus stands, state_.Write<AuditStatus>(
                                                 [&](sqlite::Database& db) -> Result<AuditStatus> {
                                                   RETURN_IF_ERROR(MarkAuditRead(db, through));
                                                   return ReadAuditStatus(db);
                                                 },
                                                 State::Space::kFrees));
  base::LogInfo("rows of the audit log are marked as read", {{"through", stands.through}});
  return EncodeStatus(stands);
}

}  // namespace sidecar
