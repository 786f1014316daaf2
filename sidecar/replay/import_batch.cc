// POST /import for new sessions; the routes of a running sidecar for sessions that went on.
#include "sidecar/replay/import_batch.h"

#include <utility>

#include "lib/base/text/text.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;
using base::Status;

constexpr size_t kMostRows = 512, kMostBytes = 1 << 20;
constexpr int64_t kTimeoutMs = 120'000;
constexpr size_t kShownError = 300;

}  // namespace

Result<ImportBatch> ImportBatch::To(const std::string& server) {
  if (server.empty()) return ImportBatch(nullptr);
  http::ClientOptions options;
  options.base_url = server;
  options.user_agent = "agent-memory-sidecar replay";
  ASSIGN_OR_RETURN(auto client, http::MakeClient(std::move(options)));
  return ImportBatch(std::move(client));
}

void ImportBatch::Add(Json observation) {
  bytes_ += base::StringAt(observation, {"content"}).size();
  observations_.push_back(std::move(observation));
}

void ImportBatch::Add(SessionReplay::End end, bool grown) {
  Ended ended{std::move(end), SIZE_MAX, grown};
  sessions_.push_back(ended.end.session);
  if (ended.end.digest) {
    ended.digest = observations_.size();
    Add(*ended.end.digest);
  }
  ended_.push_back(std::move(ended));
}

bool ImportBatch::IsFull() const {
  return observations_.size() + sessions_.size() >= kMostRows || bytes_ >= kMostBytes;
}

Result<ImportBatch::Taken> ImportBatch::Flush() {
  Taken taken;
  const Json observations = std::exchange(observations_, Json::array());
  const Json sessions = std::exchange(sessions_, Json::array());
  const std::vector<Ended> ended = std::exchange(ended_, {});
  bytes_ = 0;
  if (observations.empty() && sessions.empty()) return taken;
  if (!server_) {
    taken.imported = static_cast<int64_t>(observations.size());
    return taken;
  }
  ASSIGN_OR_RETURN(const Json report,
                   Post("/import", base::DumpJson({{"format", "agent-memory/1"},
                                                   {"sessions", sessions},
                                                   {"observations", observations}})));
  taken.imported = report.value("imported_observations", int64_t{0});
  std::vector<bool> went_on(observations.size());  // the server has another digest
  for (const Json& error : report.value("errors", Json::array())) {
    const auto index = error.is_object() ? error.value("index", SIZE_MAX) : SIZE_MAX;
    const bool digest = base::StringAt(error, {"kind"}) == "observation" &&
                        index < went_on.size() &&
                        base::StringAt(observations[index], {"topic_key"}).starts_with("session/");
    if (digest)
      went_on[index] = true;
    else
      taken.errors.push_back(base::Ellipsize(base::DumpJson(error), kShownError));
  }
  for (const Ended& one : ended) {
    const bool other = one.digest < went_on.size() && went_on[one.digest];
    if (one.grown || other) RETURN_IF_ERROR(Replace(one, taken));
  }
  const auto refused = static_cast<int64_t>(taken.errors.size());
  taken.skipped =
      std::max<int64_t>(0, static_cast<int64_t>(observations.size()) - taken.imported - refused);
  return taken;
}

Status ImportBatch::Replace(const Ended& ended, Taken& taken) const {
  const std::string id = base::StringAt(ended.end.session, {"id"});
  const auto ended_again =
      Post("/sessions/" + http::PercentEncode(id) + "/end", base::DumpJson(ended.end.said));
  if (!ended_again && ended_again.error().code == base::Code::kUnavailable)
    return ended_again.error();
  if (!ended_again) taken.errors.push_back(id + ": " + ended_again.error().message);
  if (!ended.end.digest) return {};
  Json digest = *ended.end.digest;
  digest.erase("created_at");
  const auto saved = Post("/observations", base::DumpJson(digest));
  if (!saved && saved.error().code == base::Code::kUnavailable) return saved.error();
  if (!saved) taken.errors.push_back(id + ": " + saved.error().message);
  return {};
}

Result<Json> ImportBatch::Post(const std::string& target, std::string body) const {
  http::ClientRequest request;
  request.method = "POST";
  request.target = target;
  request.timeout_ms = kTimeoutMs;
  request.headers.Set("Content-Type", "application/json");
  request.body = std::move(body);
  ASSIGN_OR_RETURN(const auto answer, server_->Send(request));
  ASSIGN_OR_RETURN(Json json, base::ParseJson(answer.body));
  if (answer.status < 300) return json;
  return base::Error{http::CodeOf(answer.status), "the memory server answered " +
                                                      std::to_string(answer.status) + ": " +
                                                      base::StringAt(json, {"error"})};
}

}  // namespace sidecar
