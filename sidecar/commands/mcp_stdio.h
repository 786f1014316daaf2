// `agent-memory-sidecar mcp --stdio`: MCP for clients that start MCP servers as child processes.
// Forwards each line to /mcp of a running sidecar, which has policy, tools and outbox for all
// clients.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/http/client/client.h"
#include "sidecar/mcp/message.h"

namespace sidecar {

// One client's side of the pipe. One thread.
class McpPipe {
 public:
  // `client`: of the sidecar, `url` for messages.
  McpPipe(http::Client& client, std::string url) : client_(client), url_(std::move(url)) {}
  ~McpPipe();  // ends the session

  // The answer to a line, without its line end; nullopt: none. Without a sidecar the answer is an
  // error; after a restart of the sidecar the session begins again.
  std::optional<std::string> Answer(std::string_view line);

 private:
  base::Result<http::Response> Send(std::string_view line, const McpMessage& message);
  void Begin(const http::Response& answer, std::string_view line);
  bool BeginAgain();

  http::Client& client_;
  const std::string url_;
  std::string session_, revision_;
  std::string initialize_;  // the line that began the session
};

// Reads lines from `in` until it ends and writes answers to `out`. → the exit code.
int RunMcpStdio(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out);

}  // namespace sidecar
