// Which memory a command means: an address, or one in a cluster through kubectl.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/child.h"
#include "client/command.h"

namespace client {

std::vector<base::Setting> ReachSettings();

struct Reached {
  std::unique_ptr<Child> forward;  // kubectl port-forward, while this lives
  std::unique_ptr<http::Client> client;
  std::string url;
};
base::Result<Reached> ReachMemory(const Call& call);

// The address in a line of kubectl port-forward: "Forwarding from 127.0.0.1:41234 -> 7437"; empty:
// it is another line. Pure.
std::string ForwardedAddress(std::string_view line);
std::vector<std::string> ForwardArguments(const std::string& kubectl, const std::string& context,
                                          const std::string& name_space, const std::string& target);

}  // namespace client
