// The routes of the web console's files, and what its page must know before it can ask the API.
// Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/http/message/router.h"

namespace memory {

struct ConsoleFacts {
  std::string auth;        // none or kubernetes
  bool everybody = false;  // auth none, and other machines reach the port: the page says so
  std::string audience;    // of tokens to sign in with; empty: with auth none
  // Who is signed in, "namespace/account"; null: with auth none.
  std::function<std::string(const http::Request&)> who = nullptr;
};

// /ui redirects to /ui/, which has the page; /ui/<file> what the page loads; /ui/facts the facts.
std::vector<http::Route> ConsoleRoutes(const ConsoleFacts& facts);

}  // namespace memory
