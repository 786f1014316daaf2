// Connects a command to a memory: a URL, a cluster through kubectl, a file, or this machine's
// memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/memory/file_server.h"
#include "client/programs/child.h"
#include "client/terminal/call.h"

namespace client {

std::vector<base::Setting> ReachSettings();

struct Reached {
  std::unique_ptr<Child> forward;    // kubectl port-forward, while this lives
  std::unique_ptr<FileServer> file;  // with --file
  std::unique_ptr<http::Client> client;
  std::string url;
  std::string project;  // for `add` and `import` without --project; empty: the server's default
};
base::Result<Reached> ReachMemory(const Call& call);

// The audience of tokens for the memory server behind `target` ("svc/NAME"), like --audience of the
// chart and the operator; empty: the target is no Service. Pure.
std::string AudienceOf(const std::string& name_space, const std::string& target);

// The address in a line of kubectl port-forward, "Forwarding from 127.0.0.1:41234 -> 7437"; empty:
// another line. Pure.
std::string ForwardedAddress(std::string_view line);
std::vector<std::string> ForwardArguments(const std::string& kubectl, const std::string& context,
                                          const std::string& name_space, const std::string& target);

}  // namespace client
