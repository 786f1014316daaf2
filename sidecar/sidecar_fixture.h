// Test code: a stub of the memory server (idempotency keys, sessions, outages), and a running
// sidecar whose agent is the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "lib/api/operations/operations.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "lib/http/client/client.h"
#include "lib/http/server/server.h"
#include "lib/testing/eventually.h"
#include "lib/testing/temporary_directory.h"
#include "sidecar/running_sidecar.h"

namespace sidecar {

// A memory server as far as a sidecar sees it: POST /observations and the routes of sessions work,
// the other routes return preset answers.
class StubMemory {
 public:
  struct Call {
    std::string method, target, body, key, traceparent, authorization;
    std::string user = {}, agent = {};  // headers of a call of traces
  };

  StubMemory() { Up(); }
  ~StubMemory() { Down(); }

  void Up(int port = 0) {
    http::ServerOptions options;
    options.listen = "127.0.0.1:" + std::to_string(port ? port : port_);
    options.workers = 4;
    auto started = http::Server::Start(http::Router(Routes()), options);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
    port_ = server_->port();
  }
  void Down() { server_.reset(); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  // Waits until `done` holds of the received calls; false after a minute.
  template <class F>
  bool Wait(F done) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return done(*this); });
  }
  bool WaitForObservations(size_t count) {
    return Wait([&](StubMemory& stub) { return stub.observations.size() >= count; });
  }
  size_t CountCalls(const std::string& prefix) {
    std::lock_guard lock(mutex_);
    size_t count = 0;
    for (const Call& call : calls) count += (call.method + " " + call.target).starts_with(prefix);
    return count;
  }
  // Ignores the calls of sessions, which the outbox sends at any time.
  Call LastCall() {
    std::lock_guard lock(mutex_);
    const auto last = std::find_if(calls.rbegin(), calls.rend(), [](const Call& call) {
      return !call.target.starts_with("/sessions");
    });
    return last == calls.rend() ? Call() : *last;
  }
  void Release() {  // the delayed calls
    std::lock_guard lock(mutex_);
    delay_ms = 0;
    changed_.notify_all();
  }
  template <class F>
  auto With(F use) {
    std::lock_guard lock(mutex_);
    return use(*this);
  }

  // Under the mutex: read them with With() or after Wait().
  std::vector<Call> calls;
  std::vector<base::Json> observations;        // in order of arrival, deduplicated by key
  std::map<std::string, base::Json> sessions;  // id → {project, ended, interim}
  base::Json context = {{"recent_sessions", base::Json::array()},
                        {"recent_observations", base::Json::array()}};
  base::Json found = base::Json::array();   // of /search
  std::map<int64_t, base::Json> rows;       // of /observations/{id}
  base::Json items = base::Json::array();   // of /items
  std::vector<std::string> conditions;      // If-Match of the calls of items
  base::Json trace = base::Json::object();  // answer of the routes of traces
  int trace_status = 200;
  std::vector<base::Json> turns;  // of POST /ingest/turns, deduplicated by key
  int refuse_observations = 0;    // not 0: the status of POST /observations
  int64_t delay_ms = 0;           // before the answers of /context and /search

 private:
  using Request = http::Request;
  using Response = http::Response;

  std::vector<http::Route> Routes() {
    auto bind = [this](Response (StubMemory::*handler)(const Request&)) {
      return [this, handler](const Request& request) {
        std::unique_lock lock(mutex_);
        std::string target = request.path;
        for (const auto& [name, value] : request.query) {
          target += (target == request.path ? "?" : "&") + name + "=" + value;
        }
        auto header = [&](const char* name) { return request.headers.Get(name).value_or(""); };
        calls.push_back({request.method, target, request.body, header("Idempotency-Key"),
                         header("traceparent"), header("Authorization"), header("X-Memory-User"),
                         header("X-Memory-Agent")});
        Response answer = (this->*handler)(request);
        changed_.notify_all();
        return answer;
      };
    };
    const auto slowly = [this](base::Json StubMemory::*answer) {
      return [this, answer](const Request& request) { return Slowly(request, answer); };
    };
    std::map<std::string_view, http::Handler> own = {
        {"begin_session", bind(&StubMemory::StartSession)},
        {"end_session", bind(&StubMemory::EndSession)},
        {"save_observation", bind(&StubMemory::Save)},
        {"get_observation", bind(&StubMemory::GetRow)},
        {"change_observation", bind(&StubMemory::GetRow)},
        {"delete_observation", bind(&StubMemory::GetRow)},
        {"get_context", slowly(&StubMemory::context)},
        {"search", slowly(&StubMemory::found)},
        {"post_turn", bind(&StubMemory::Ingest)}};
    std::vector<http::Route> routes;
    for (const api::Operation& row : api::Operations()) {
      if (row.path == "/health" || row.path == "/openapi.json") continue;
      http::Route& route = routes.emplace_back(api::RouteOf(row));
      const auto begins = [&](std::string_view path) { return row.path.starts_with(path); };
      if (own.contains(row.name))
        route.handler = own[row.name];
      else if (begins("/traces") || begins("/ingest"))
        route.handler = bind(&StubMemory::Trace);
      else if (row.path == "/items/{key}")
        route.handler = bind(&StubMemory::Item);
      else if (begins("/items") || begins("/episodic"))
        route.handler = bind(&StubMemory::Items);
      else
        route.handler = bind(&StubMemory::Empty);
    }
    return routes;
  }
  Response StartSession(const Request& request) {
    const base::Json body = *base::ParseJson(request.body);
    const auto [place, fresh] =
        sessions.try_emplace(body["id"], base::Json{{"project", body["project"]}, {"begun", body}});
    if (place->second["project"] != body["project"])
      return http::ErrorResponse({base::Code::kConflict, "the session is another project's"});
    return http::JsonResponse(201, body);
  }
  Response EndSession(const Request& request) {
    auto found_session = sessions.find(request.parameters.at("id"));
    if (found_session == sessions.end() ||
        request.Query("project").value_or(found_session->second["project"]) !=
            found_session->second["project"]) {
      return http::ErrorResponse({base::Code::kNotFound, "no such session"});
    }
    const char* kind = request.Query("interim") ? "interim" : "ended";
    found_session->second[kind] = base::ParseJson(request.body)->at("messages");
    return http::JsonResponse(200, {{"summary", ""}});
  }
  Response Save(const Request& request) {
    const base::Json body = *base::ParseJson(request.body);
    const auto session = sessions.find(base::StringAt(body, {"session_id"}));
    if (session != sessions.end() && session->second["project"] != body["project"])
      return http::ErrorResponse({base::Code::kConflict, "the session is another project's"});
    if (refuse_observations != 0) return http::JsonResponse(refuse_observations, {{"error", "no"}});
    const std::string key = request.headers.Get("Idempotency-Key").value_or("");
    if (key.empty() || keys_.insert(key).second) {
      observations.push_back(body);
    }
    return http::JsonResponse(201, {{"id", observations.size()}, {"action", "created"}});
  }
  Response GetRow(const Request& request) {
    auto row = rows.find(std::stoll(request.parameters.at("id")));
    if (row == rows.end()) return http::ErrorResponse({base::Code::kNotFound, "no such row"});
    return http::JsonResponse(200, row->second);
  }
  Response Items(const Request&) { return http::JsonResponse(200, {{"items", items}}); }
  Response Item(const Request& request) {
    if (request.method == "DELETE") return http::EmptyResponse(204);
    conditions.push_back(request.headers.Get("If-Match").value_or(""));
    Response answer = http::JsonResponse(200, {{"key", request.parameters.at("key")},
                                               {"value", "v"},
                                               {"version", 7},
                                               {"ttl", 0},
                                               {"created", "2026-04-12T00:00:00Z"}});
    answer.headers.Set("ETag", "\"7\"");
    return answer;
  }
  Response Trace(const Request&) {
    if (trace_status == 404) return http::ErrorResponse({base::Code::kNotFound, "no such trace"});
    return http::JsonResponse(trace_status, trace);
  }
  Response Ingest(const Request& request) {
    const std::string key = request.headers.Get("Idempotency-Key").value_or("");
    if (key.empty() || keys_.insert(key).second) turns.push_back(*base::ParseJson(request.body));
    return http::JsonResponse(202, {{"turn", "t-" + std::to_string(turns.size())}});
  }
  Response Empty(const Request&) { return http::JsonResponse(200, base::Json::array()); }
  Response Slowly(const Request& request, base::Json StubMemory::*answer) {
    std::unique_lock lock(mutex_);
    std::string target = request.path;
    for (const auto& [name, value] : request.query) {
      target += (target == request.path ? "?" : "&") + name + "=" + value;
    }
    const auto header = [&](const char* name) { return request.headers.Get(name).value_or(""); };
    calls.push_back({request.method, target, "", "", header("traceparent"), "",
                     header("X-Memory-User"), header("X-Memory-Agent")});
    // Waits until the caller gives up; on a condition, so that the end of the test is not delayed.
    changed_.wait_for(lock, std::chrono::milliseconds(delay_ms),
                      [&] { return delay_ms == 0 || request.client_gone.stop_requested(); });
    return http::JsonResponse(200, this->*answer);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> keys_;
  std::unique_ptr<http::Server> server_;
  int port_ = 0;
};

// A policy.json with two rules on bash, injection of bash searches, and `more` merged into it.
inline std::string PolicyText(const std::string& url, base::Json more = base::Json::object()) {
  base::Json policy = {
      {"version", 1},
      {"agent", "coder"},
      {"namespace", "agents"},
      {"memory", {{"url", url}, {"project", "coder"}}},
      {"toolHooks",
       {{"memorySaveRules",
         {{{"name", "errors"},
           {"tool", "bash"},
           {"matchOutput", "error|panic"},
           {"type", "bugfix"}},
          {{"name", "places"}, {"tool", "bash"}, {"matchOutput", "main\\.c"}}}},
        {"contextInjectTools", {{{"tool", "bash"}, {"query", "from_tool_args"}, {"limit", 3}}}}}}};
  policy.merge_patch(more);
  return base::DumpJson(policy);
}

// A sidecar on free ports with its own directory, and clients of its API.
class SidecarTest : public ::testing::Test {
 protected:
  struct Reply {
    int status = 0;
    base::Json body;
    int64_t took_ms = 0;
  };

  void SetUp() override {
    directory_.Write("policy.json", PolicyText(memory_.url()));
    Start();
  }
  void TearDown() override { running_.reset(); }

  void Start(std::function<void(SidecarSettings&)> change = [](SidecarSettings&) {}) {
    running_.reset();
    SidecarSettings settings;
    settings.listen = settings.admin = "127.0.0.1:0";
    settings.policy = directory_.path() + "/policy.json";
    settings.data_directory = directory_.path() + "/state";
    settings.policy_interval_ms = 10;
    settings.recall_timeout_ms = 10'000;  // a busy machine must not make recalls time out
    settings.outbox.lane_wait_ms = 10'000;
    settings.retry_longest_ms = 400;
    settings.drain_timeout_ms = 5'000;
    settings.workers = 4;
    change(settings);
    auto started = RunningSidecar::Start(settings, *clock_);
    ASSERT_TRUE(started) << started.error().message;
    running_ = std::move(*started);
    api_ = ClientOf(running_->api_address());
    admin_ = ClientOf(running_->admin_address());
  }

  static std::unique_ptr<http::Client> ClientOf(const std::string& address) {
    http::ClientOptions options;
    options.base_url = "http://" + address;
    auto client = http::MakeClient(options);
    EXPECT_TRUE(client) << client.error().message;
    return std::move(*client);
  }

  static Reply Send(http::Client& client, http::ClientRequest request) {
    request.timeout_ms = 120'000;  // long: no test checks the time of an answer
    const int64_t begin_ms = base::SystemClock().MonotonicMs();
    auto answer = client.Send(request);
    EXPECT_TRUE(answer) << request.target << ": " << (answer ? "" : answer.error().message);
    if (!answer) return {};
    return {answer->status, base::ParseJson(answer->body).value_or(base::Json()),
            base::SystemClock().MonotonicMs() - begin_ms};
  }
  Reply Ask(const std::string& method, const std::string& target,
            const base::Json& body = nullptr) {
    http::ClientRequest request;
    request.method = method;
    request.target = target;
    if (!body.is_null()) request.body = base::DumpJson(body);
    return Send(*api_, request);
  }
  Reply AskAdmin(const std::string& target) {
    http::ClientRequest request;
    request.target = target;
    return Send(*admin_, request);
  }
  Reply Hook(const char* name, base::Json fields = base::Json::object(),
             const std::string& conversation = "c1") {
    base::Json event = {{"hook_event_name", name}, {"session_id", conversation}, {"cwd", "/work"}};
    event.update(fields);
    return Ask("POST", "/v1/hooks", event);
  }
  Reply Prompt(const std::string& prompt, const std::string& conversation = "c1") {
    return Hook("UserPromptSubmit", {{"prompt", prompt}}, conversation);
  }
  Reply Bash(const std::string& output, const std::string& id,
             const std::string& conversation = "c1") {
    return Hook("PostToolUse",
                {{"tool_name", "Bash"},
                 {"tool_input", {{"command", "make"}}},
                 {"tool_response", {{"stdout", output}, {"stderr", ""}}},
                 {"tool_use_id", id}},
                conversation);
  }
  static std::string ContextOf(const Reply& reply) {
    return base::StringAt(reply.body, {"hookSpecificOutput", "additionalContext"});
  }
  base::Json Messages(const std::string& conversation = "c1") {
    return Ask("GET", "/conversations/" + conversation + "/messages").body["messages"];
  }
  // Polls until `done` returns true; false after a minute.
  template <class F>
  bool Until(F done) {
    return testing::Eventually(done, 60'000);
  }
  bool Drained() {
    return Until([&] { return Ask("GET", "/v1/status").body["pending"] == 0; });
  }

  testing::TemporaryDirectory directory_;
  StubMemory memory_;
  const base::Clock* clock_ = &base::SystemClock();  // of the next Start
  std::unique_ptr<RunningSidecar> running_;
  std::unique_ptr<http::Client> api_, admin_;
};

}  // namespace sidecar
