// Turns lines of a pipe into requests of Streamable HTTP.
#include "sidecar/commands/mcp_stdio.h"

#include <cstdio>
#include <istream>
#include <ostream>
#include <utility>

#include "lib/base/process/config.h"
#include "lib/base/process/log.h"
#include "lib/base/process/random.h"
#include "lib/base/text/text.h"
#include "sidecar/mcp/revision.h"

namespace sidecar {
namespace {

using base::Json;
using MessageKind = McpMessage::Kind;

constexpr size_t kMaxLineBytes = 1 << 20;  // the limit of /mcp
constexpr int64_t kAnswerTimeoutMs = 30'000;
constexpr int kStdioUsage = 64;

const base::Program& StdioProgram() {
  static const base::Program program = {
      "agent-memory-sidecar mcp",
      "Gives the tools of a running sidecar to an MCP client over standard input and output.",
      {{"stdio", base::Setting::Kind::kBool, "false",
        "the transport, the only one of this command"},
       {"url", base::Setting::Kind::kString, "http://127.0.0.1:7437", "where the sidecar listens"},
       {"log-level", base::Setting::Kind::kString, "warn", "debug, info, warn or error"}},
      "Example:\n  agent-memory-sidecar mcp --stdio --url http://127.0.0.1:7437\n"};
  return program;
}

http::ClientRequest PostOf(std::string_view line) {
  http::ClientRequest request;
  request.method = "POST";
  request.target = "/mcp";
  request.timeout_ms = kAnswerTimeoutMs;
  request.headers.Set("Content-Type", "application/json");
  request.headers.Set("Accept", "application/json, text/event-stream");
  // Makes a request idempotent, so that the client may send it again after a dead connection.
  request.headers.Set("Idempotency-Key", base::RandomUuid());
  request.body = line;
  return request;
}

std::string Failed(const Json& id, const std::string& why) {
  return base::DumpJson(RpcFailure(id, {kInternalError, why, nullptr}));
}

// Reads one line; skips one over kMaxLineBytes and sets nullopt. False: the input has ended.
bool ReadLine(std::istream& in, std::optional<std::string>& line) {
  line.emplace();
  bool any = false;
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    any = true;
    if (c == '\n') return true;
    if (line) line->push_back(static_cast<char>(c));
    if (line && line->size() > kMaxLineBytes) line.reset();
  }
  return any;
}

}  // namespace

McpPipe::~McpPipe() {
  if (session_.empty()) return;
  http::ClientRequest end;
  end.method = "DELETE";
  end.target = "/mcp";
  end.timeout_ms = 1'000;
  end.headers.Set(kSessionHeader, session_);
  // Errors are ignored: the sidecar expires sessions.
  [[maybe_unused]] const auto ended = client_.Send(end);
}

std::optional<std::string> McpPipe::Answer(std::string_view line) {
  if (base::Trim(line).empty()) return std::nullopt;
  const McpReading reading = ReadMcpMessage(line);
  if (reading.error) return base::DumpJson(RpcFailure(reading.message.id, *reading.error));
  const McpMessage& message = reading.message;
  auto answer = Send(line, message);
  const bool forgotten = answer && answer->status == 404 && !session_.empty() &&
                         !IsStateless(message, {}) && message.method != "initialize";
  if (forgotten && BeginAgain()) answer = Send(line, message);
  const bool asked = message.kind == MessageKind::kRequest;
  if (!answer) {
    base::LogWarn("the sidecar does not answer",
                  {{"url", url_}, {"reason", answer.error().message}});
    if (!asked) return std::nullopt;
    return Failed(message.id, "no sidecar answers at " + url_ + ": start it, or give --url");
  }
  if (message.method == "initialize" && answer->status == 200) Begin(*answer, line);
  if (!asked) return std::nullopt;
  const auto body = base::ParseJson(answer->body);
  if (body && body->is_object() && body->contains("jsonrpc")) return base::DumpJson(*body);
  const std::string why = body && body->is_object() ? base::StringAt(*body, {"error"}) : "";
  return Failed(message.id, "the sidecar answered " + std::to_string(answer->status) + " " + why);
}

base::Result<http::Response> McpPipe::Send(std::string_view line, const McpMessage& message) {
  http::ClientRequest request = PostOf(line);
  if (IsStateless(message, {})) {
    MirrorIntoHeaders(message, request.headers);
  } else if (!session_.empty() && message.method != "initialize") {
    request.headers.Set(kSessionHeader, session_);
    request.headers.Set(kVersionHeader, revision_);
  }
  return client_.Send(request);
}

void McpPipe::Begin(const http::Response& answer, std::string_view line) {
  session_ = answer.headers.Get(kSessionHeader).value_or("");
  const auto body = base::ParseJson(answer.body);
  revision_ = body ? base::StringAt(*body, {"result", "protocolVersion"}) : "";
  initialize_ = line;
}

bool McpPipe::BeginAgain() {
  const auto answer = client_.Send(PostOf(initialize_));
  if (!answer || answer->status != 200) return false;
  Begin(*answer, std::string(initialize_));
  return true;
}

int RunMcpStdio(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out) {
  std::vector<std::string> argv = {StdioProgram().name};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const base::Invocation invocation =
      base::ReadCommandLine(StdioProgram(), argv, base::Environment());
  if (!invocation.run) {
    std::fputs(invocation.output.c_str(), stderr);
    return invocation.exit_code;
  }
  const auto level = base::ParseLevel(invocation.settings.Text("log-level"));
  http::ClientOptions options;
  options.base_url = invocation.settings.Text("url");
  auto client = http::MakeClient(options);
  if (!invocation.settings.Bool("stdio") || !level || !client) {
    const std::string why = !level ? level.error().message
                            : !client
                                ? client.error().message
                                : "give --stdio; the transport over HTTP is the sidecar's own";
    std::fprintf(stderr, "%s: %s\n", StdioProgram().name.c_str(), why.c_str());
    return kStdioUsage;
  }
  base::SetLogLevel(*level);
  McpPipe pipe(**client, options.base_url);
  for (std::optional<std::string> line; ReadLine(in, line);) {
    const auto answer =
        line ? pipe.Answer(*line)
             : base::DumpJson(
                   RpcFailure(nullptr, {kInvalidRequest, "a message has at most 1 MiB", nullptr}));
    if (answer) out << *answer << '\n' << std::flush;
    if (!out) return 0;  // the client is gone
  }
  return 0;
}

}  // namespace sidecar
