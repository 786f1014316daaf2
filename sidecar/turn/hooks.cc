// Decodes, calls the turn, encodes. The answer to an unknown event is {}, so that newer agents
// work. No event is refused for its contents.
#include "sidecar/turn/hooks.h"

#include <utility>

#include "lib/base/limits/byte_budget.h"
#include "lib/base/process/log.h"
#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"
#include "lib/telemetry/trace.h"

namespace sidecar {
namespace {

constexpr int64_t kLogEveryMs = 60'000;
constexpr size_t kLongestHookBytes = 1 << 30;

base::Status Charge(size_t bytes) {
  base::ByteCharge* charge = base::ByteCharge::OfThisThread();
  const size_t needed = bytes * kCopiesOfBodies;
  if (charge == nullptr || needed <= charge->bytes() || charge->TrySet(needed)) return {};
  const bool ever = charge->budget()->CanEverGrant(needed);
  return base::Error{
      ever ? base::Code::kUnavailable : base::Code::kTooLarge,
      "memory-budget: the event needs " + std::to_string(needed) +
          " bytes with the copies that are made of it, and " +
          (ever ? "other requests hold the memory for them; send it again"
                : "one request may have " + std::to_string(charge->budget()->largest()))};
}

// Mends a long event while it arrives; without Content-Length, from the limit on.
base::Result<base::MendedJson> ReadStream(const http::Request& request) {
  base::JsonMender mender(kCutHookBytes);
  std::string whole;
  bool cut = request.headers.Get("Content-Length").has_value();
  while (true) {
    ASSIGN_OR_RETURN(const std::string bytes, request.stream->Read());
    if (bytes.empty()) break;
    if (!cut) whole += bytes;
    if (cut) mender.Feed(bytes);
    if (whole.size() > kMaxHookBytes) {
      cut = true;
      mender.Feed(std::exchange(whole, {}));
    }
    RETURN_IF_ERROR(Charge(cut ? mender.bytes() : whole.size()));
  }
  return cut ? base::ReadMendedJson(mender) : base::ReadMendedJson(whole, kMaxHookBytes);
}

base::Result<base::MendedJson> ReadBody(const http::Request& request) {
  if (request.stream != nullptr) return ReadStream(request);
  return base::ReadMendedJson(request.body, kMaxHookBytes);
}

// Moves large fields out of the body, since the memory of a hook is its body times its copies.
base::Json Taken(base::Json& body, const char* field) {
  if (!body.is_object() || !body.contains(field)) return nullptr;
  return std::exchange(body[field], nullptr);
}

}  // namespace

std::vector<http::Route> Hooks::Routes() {
  const auto handle = [this](const http::Request& request) { return Handle(request); };
  return {{"POST", "/v1/hooks", handle, kMaxHookBytes},
          {"POST", "/v1/hooks", handle, kLongestHookBytes, /*streaming=*/true}};
}

http::Response Hooks::Handle(const http::Request& request) {
  auto answer = Answer(request);
  if (answer) return http::JsonResponse(200, *answer);
  metrics_.Count("agent_memory_sidecar_hooks_refused_total",
                 {{"reason", base::CodeName(answer.error().code)}});
  LogRefusal(answer.error());
  // Runtimes show the body to a model; the body may quote the event.
  return http::ErrorResponse({answer.error().code, base::Inert(answer.error().message)});
}

// Rate-limited: a runtime that sends one such event sends many.
void Hooks::LogRefusal(const base::Error& error) {
  const int64_t now_ms = clock_.MonotonicMs();
  int64_t next_ms = next_log_ms_;
  if (now_ms < next_ms || !next_log_ms_.compare_exchange_strong(next_ms, now_ms + kLogEveryMs))
    return;
  // The parser's message quotes the text.
  const bool parser = error.message.starts_with("malformed JSON");
  base::LogWarn(
      "hook events are refused; said once a minute",
      {{"code", base::CodeName(error.code)}, {"reason", parser ? "it is no JSON" : error.message}});
}

base::Json Hooks::Misspelt(const std::string& name) {
  const std::string meant = api::MeantEvent(name);
  if (meant.empty()) return base::Json::object();
  const std::string words = "the hook event \"" + base::Ellipsize(base::Inert(name), 80) +
                            "\" is unknown and was not recorded; did you mean \"" + meant + "\"?";
  LogRefusal({base::Code::kInvalid, words});
  return {{"systemMessage", "agent-memory: " + words}};
}

void Hooks::CountMends(const base::JsonMends& mends) {
  const std::pair<const char*, bool> kinds[] = {{"characters", mends.characters},
                                                {"cut", mends.cut},
                                                {"levels", mends.levels},
                                                {"numbers", mends.numbers},
                                                {"duplicates", mends.duplicates > 0}};
  for (const auto& [what, is] : kinds) {
    if (is) metrics_.Count("agent_memory_sidecar_hooks_mended_total", {{"what", what}});
  }
}

base::Result<api::HookEvent> ReadHookEvent(base::MendedJson body) {
  base::Json input = Taken(body.value, "tool_input"), response = Taken(body.value, "tool_response");
  ASSIGN_OR_RETURN(api::HookEvent event, api::DecodeHookEvent(body.value));
  event.tool_input = std::move(input);
  event.tool_response = std::move(response);
  event.mended = body.mends.characters || body.mends.cut;
  if (body.mends.levels) event.unread = "it is nested deeper than 64 levels: make it flatter";
  if (body.mends.top_duplicates > 0)
    event.unread = "a field of the event occurs twice: send it once";
  return event;
}

base::Result<base::Json> Hooks::Answer(const http::Request& request) {
  ASSIGN_OR_RETURN(base::MendedJson body, ReadBody(request));
  CountMends(body.mends);
  ASSIGN_OR_RETURN(api::HookEvent event, ReadHookEvent(std::move(body)));
  if (event.kind == api::HookEvent::Kind::kOther) return Misspelt(event.name);
  metrics_.Count("agent_memory_sidecar_hooks_total", {{"event", event.name}});
  api::HookEvent named;  // the answer only needs the name
  named.kind = event.kind;
  named.name = event.name;
  const auto trace = telemetry::ParseTraceparent(request.headers.Get("traceparent").value_or(""));
  ASSIGN_OR_RETURN(const api::HookAnswer answer, turn_.Handle(std::move(event), trace));
  return api::EncodeHookAnswer(named, answer);
}

}  // namespace sidecar
