// Statements by text, and what joins a flight.
#include "lib/postgres/connection.h"

#include <algorithm>

#include "lib/base/check.h"
#include "lib/postgres/errors.h"

namespace postgres {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

// More texts than the programs have: some are built, as those with a list of columns.
constexpr size_t kMostTexts = 600;

void Notice(void* self, const PGresult* notice) {
  const char* severity = libpq().PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity && std::string_view(severity) == "WARNING")
    static_cast<Connection*>(self)->warned = true;
}

// Whether parameters of these types may be sent to `variant`.
bool Fits(const Variant& variant, const std::vector<Parameter>& parameters) {
  if (variant.types.size() != parameters.size()) return false;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].type != 0 && parameters[i].type != variant.types[i]) return false;
  return true;
}

}  // namespace

Connection::Connection(Link to, std::shared_ptr<const Dsn> of, Host at, const DatabaseOptions& with)
    : link(std::move(to)),
      dsn(std::move(of)),
      host(std::move(at)),
      options(with),
      limits(std::make_shared<sql::Limits>(with.clock ? *with.clock : base::SystemClock())) {
  libpq().PQsetNoticeReceiver(link.get(), Notice, this);
  CHECK(libpq().PQenterPipelineMode(link.get()) == 1);
}

Result<Query*> Connection::Find(std::string_view sql, bool translate) {
  if (const auto found = texts_.find(sql); found != texts_.end()) return found->second.get();
  if (texts_.size() >= kMostTexts && lent_ == 0 && depth == 0) {
    RETURN_IF_ERROR(RunScript("DEALLOCATE ALL"));
    texts_.clear();
  }
  auto text = std::make_unique<Query>();
  text->sql = translate ? Translate(sql) : std::string(sql);
  text->shape = ShapeOf(text->sql);
  return texts_.emplace(sql, std::move(text)).first->second.get();
}

PgCursor* Connection::Lend(Query& text) {
  ++lent_;
  if (text.idle.empty()) {
    text.cursors.push_back(std::make_unique<PgCursor>(*this, text));
    return text.cursors.back().get();
  }
  PgCursor* cursor = text.idle.back();
  text.idle.pop_back();
  return cursor;
}

Variant& Connection::VariantFor(Query& text, const std::vector<Parameter>& parameters) {
  for (Variant& variant : text.variants)
    if (Fits(variant, parameters)) return variant;
  Variant variant;
  // A NULL has the type that the parameter had before.
  if (!text.variants.empty()) variant.types = text.variants.back().types;
  variant.types.resize(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].type != 0) variant.types[i] = parameters[i].type;
  variant.name = NewName();
  return text.variants.emplace_back(std::move(variant));
}

Status Connection::Send(Query& text, const std::vector<Parameter>& parameters, PgCursor* cursor,
                        bool stream) {
  if (broken) return *broken;
  const int count = static_cast<int>(parameters.size());
  Variant& variant = VariantFor(text, parameters);
  if (!variant.sent) {
    if (libpq().PQsendPrepare(link.get(), variant.name.c_str(), text.sql.c_str(), count,
                              variant.types.data()) != 1)
      return LoseLink();
    variant.sent = true;
    Expect({.what = Expected::What::kPrepare, .variant = &variant});
  }
  std::vector<const char*> values;
  std::vector<int> lengths, formats(parameters.size(), 1);
  for (const Parameter& parameter : parameters) {
    values.push_back(parameter.type == 0 ? nullptr : parameter.bytes.data());
    lengths.push_back(static_cast<int>(parameter.bytes.size()));
  }
  if (libpq().PQsendQueryPrepared(link.get(), variant.name.c_str(), count, values.data(),
                                  lengths.data(), formats.data(), 1) != 1)
    return LoseLink();
  Expect(
      {.what = Expected::What::kCommand, .cursor = cursor, .variant = &variant, .stream = stream});
  open_flight_ = true;
  return {};
}

Status Connection::SendOwn(const std::string& sql, const std::vector<Parameter>& parameters) {
  ASSIGN_OR_RETURN(Query* const text, Find(sql, false));
  return Send(*text, parameters, nullptr);
}

Status Connection::SendSettings() {
  if (scope.settings.empty()) return {};
  std::string sql;
  std::vector<Parameter> values;
  for (const auto& [name, value] : scope.settings) {
    const std::string number = std::to_string(values.size() + 1),
                      next = std::to_string(values.size() + 2);
    sql += (sql.empty() ? "SELECT set_config($" : ", set_config($") + number + ", $" + next +
           ", true)";
    values.push_back({kText, name});
    values.push_back({kText, value});
  }
  return SendOwn(sql, values);
}

void Connection::Depart() {
  if (!open_flight_ || broken) return;
  if (libpq().PQpipelineSync(link.get()) != 1) return (void)LoseLink();
  Expect({.what = Expected::What::kSync});
  open_flight_ = false;
}

void Connection::Expect(Expected expected) {
  expected.depth = depth;
  expected.transaction = transaction_;
  expected_.push_back(expected);
  if (expected_.size() == 1) FrontChanged();
}

// libpq takes the wish for single rows when a statement's results come next, not earlier.
void Connection::FrontChanged() {
  if (!expected_.empty() && expected_.front().stream) libpq().PQsetSingleRowMode(link.get());
}

Status Connection::WithinLimits() {
  if (sql::Limits::Limit* over = limits->Over()) {
    over->met = true;
    const bool own = !over->error.message.empty();
    return own ? over->error : Error{Code::kTimeout, "the deadline of a statement is over"};
  }
  return {};
}

// Several statements need the simple protocol, which no pipeline has.
Status Connection::RunScript(const char* script) {
  RETURN_IF_ERROR(WithinLimits());
  RETURN_IF_ERROR(Settle(Patience::kLimits));
  libpq().PQexitPipelineMode(link.get());
  std::optional<Error> failed;
  if (libpq().PQsendQuery(link.get(), script) != 1) (void)LoseLink();
  for (bool more = true; more && !broken;) {
    if (Status came = Wait(Patience::kLimits); !came) break;
    ResultHandle result(libpq().PQgetResult(link.get()));
    more = result != nullptr;
    if (result && libpq().PQresultStatus(result.get()) == PGRES_FATAL_ERROR && !failed)
      failed = interrupted_ ? *interrupted_ : MakeError(result.get(), Server());
    if (libpq().PQstatus(link.get()) == CONNECTION_BAD) (void)LoseLink();
  }
  interrupted_.reset();
  if (broken) return *broken;
  CHECK(libpq().PQenterPipelineMode(link.get()) == 1);
  if (!failed) return {};
  if (depth > 0) {
    error = failed;
    error_depth = depth;
  }
  return *failed;
}

}  // namespace postgres
