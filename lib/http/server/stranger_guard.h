// Who may talk to a listener that asks nobody who they are: only a caller that meant this host. A
// browser lets any web page send what forms send, and DNS can lead its name here (rebinding): both
// show in Host, Origin and Content-Type, which no page can forge. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/http/message/message.h"

namespace http {

struct StrangerRules {
  // Names of Host beside localhost; absent: the program has no such setting.
  std::optional<std::vector<std::string>> hosts;
  // Any address is a good Host: a page's name can be led here, an address is where its own server
  // is. So published ports and the cluster addresses of Services work, which nobody here knows.
  bool addresses = false;
  std::vector<std::string> origins;  // values of Origin
  bool loopback_origins = false;     // pages of this machine may call too, whatever their port
  // Media types of bodies; empty: any. A list must leave out what a page sends without asking:
  // application/x-www-form-urlencoded, multipart/form-data, text/plain and no type at all.
  std::vector<std::string> body_types;
};

// 421 for a Host that is not ours (any port is), 403 for an Origin that is not allowed, 415 for a
// body of another type; each says what to do.
std::optional<Response> RefuseStranger(const Request& request, const StrangerRules& rules);

// "127.0.0.1:7437", "[::1]:0" or "localhost:1": only this machine reaches it.
bool IsLoopbackAddress(std::string_view listen);

// A name or an address as it may stand in StrangerRules::hosts; kInvalid says what is wrong.
base::Status CheckHostName(const std::string& name);

}  // namespace http
