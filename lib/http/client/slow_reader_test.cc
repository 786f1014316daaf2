// A reader that is slower than its server: what is between them is bounded.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "lib/http/client/client.h"
#include "lib/http/server/server.h"
#include "lib/testing/http_server.h"
#include "lib/testing/streams.h"

namespace http {
namespace {

// The largest buffer that the kernel gives a socket: the last of three numbers.
size_t MostBuffered(const char* name) {
  std::ifstream file(std::string("/proc/sys/net/ipv4/") + name);
  size_t least = 0, usual = 0, most = 0;
  file >> least >> usual >> most;
  EXPECT_TRUE(file) << name;
  return most;
}

TEST(ClientStream, WaitsForSlowReader) {
  // A consumer that is slower than the server: the bytes in between stay bounded, since
  // backpressure slows the server. The kernel may hold two full buffers of the connection.
  const size_t buffers = MostBuffered("tcp_rmem") + MostBuffered("tcp_wmem"),
               bound = buffers + (8u << 20);
  std::atomic<size_t> written = 0;
  constexpr size_t kPiece = 256 << 10;
  const size_t pieces = 3 * bound / kPiece;
  std::vector<Route> routes = {{"GET", "/much", [&](const Request&) {
                                  Response response;
                                  response.stream = [&](BodyWriter& writer) -> base::Status {
                                    for (size_t i = 0; i < pieces; ++i) {
                                      RETURN_IF_ERROR(writer.Write(std::string(kPiece, 'x')));
                                      written += kPiece;
                                    }
                                    return {};
                                  };
                                  return response;
                                }}};
  const auto server = testing::StartServer(routes);
  ClientOptions options;
  options.base_url = "http://127.0.0.1:" + std::to_string(server->port());
  const auto client = MakeClient(options);
  ASSERT_TRUE(client) << client.error().message;
  ClientRequest request;
  request.target = "/much";
  size_t taken = 0, most_ahead = 0;
  const auto result = testing::ReadToEnd(
      **client, request, {}, [](const Response&) { return true; },
      [&](std::string_view bytes) {
        taken += bytes.size();
        std::this_thread::yield();
        most_ahead = std::max(most_ahead, written.load() - std::min(written.load(), taken));
        return true;
      });
  EXPECT_TRUE(result);
  EXPECT_EQ(taken, pieces * kPiece);
  EXPECT_LT(most_ahead, bound);
}

}  // namespace
}  // namespace http
