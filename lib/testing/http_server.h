// A server on a free loopback port for tests, and texts of requests.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lib/http/server/server.h"

namespace testing {

// Ends the process if the server cannot start.
std::unique_ptr<http::Server> StartServer(std::vector<http::Route> routes,
                                          http::ServerOptions options = {});

// A GET and a POST with Host; the POST also with Content-Length.
std::string GetText(const std::string& target, const std::string& more_headers = "");
std::string PostText(const std::string& target, const std::string& body,
                     const std::string& more_headers = "");

// A body of 1 GiB. Calls `sent` with the bytes of each sent piece.
http::Response HugeAnswer(std::function<void(size_t bytes)> sent);

}  // namespace testing
