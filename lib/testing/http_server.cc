// Starts servers and formats requests for tests.
#include "lib/testing/http_server.h"

#include "lib/base/check.h"

namespace testing {

std::unique_ptr<http::Server> StartServer(std::vector<http::Route> routes,
                                          http::ServerOptions options) {
  options.listen = "127.0.0.1:0";
  auto server = http::Server::Start(http::Router(std::move(routes)), std::move(options));
  CHECK(server.has_value());
  return std::move(*server);
}

std::string GetText(const std::string& target, const std::string& more_headers) {
  return "GET " + target + " HTTP/1.1\r\nHost: t\r\n" + more_headers + "\r\n";
}

std::string PostText(const std::string& target, const std::string& body,
                     const std::string& more_headers) {
  return "POST " + target +
         " HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         more_headers + "\r\n" + body;
}

http::Response HugeAnswer(std::function<void(size_t bytes)> sent) {
  http::Response response;
  response.stream = [sent = std::move(sent)](http::BodyWriter& writer) -> base::Status {
    const std::string piece(1 << 20, ' ');
    for (int i = 0; i < 1024; ++i) {
      RETURN_IF_ERROR(writer.Write(piece));
      sent(piece.size());
    }
    return {};
  };
  return response;
}

}  // namespace testing
