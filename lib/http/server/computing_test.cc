// Requests that need much of a processor.
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "lib/http/server/server.h"
#include "lib/testing/http_server.h"
#include "lib/testing/raw_socket.h"

namespace http {
namespace {

using testing::GetText;
using testing::RawSocket;
using testing::StartServer;
using testing::StatusOf;

Response AnyAnswer(const Request&) { return EmptyResponse(200); }

// Requests that compute have threads of their own, so that any number of them leaves workers for
// others.
TEST(ServerComputing, ComputingRequestsLeaveWorkersForOthers) {
  ServerOptions options;
  options.workers = options.waiting_workers = 1;
  options.computing_workers = 1;
  std::promise<void> release;
  std::shared_future<void> gate = release.get_future().share();
  std::atomic<int> computed = 0;
  Route compute{"POST", "/compute", [&](const Request&) {
                  gate.wait();
                  ++computed;
                  return EmptyResponse(204);
                }};
  compute.waits = true;
  compute.computes = [](const Request& request) { return request.Query("much").has_value(); };
  Route write{"POST", "/write", AnyAnswer};
  write.waits = true;
  const auto server = StartServer({compute, write, {"GET", "/", AnyAnswer}}, options);
  const std::string much = "POST /compute?much=1 HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n";
  std::vector<RawSocket> clients;
  for (int i = 0; i < 20; ++i) clients.emplace_back(server->port()).Send(much);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(StatusOf(testing::Exchange(server->port(), GetText("/", "Connection: close\r\n"))),
              200);
    EXPECT_EQ(StatusOf(testing::Exchange(server->port(),
                                         "POST /write HTTP/1.1\r\nHost: t\r\nConnection: "
                                         "close\r\nContent-Length: 0\r\n\r\n")),
              200);
  }
  while (clients.size() > 1) clients.pop_back();  // these leave: nothing is computed for them
  EXPECT_EQ(StatusOf(testing::Exchange(server->port(), GetText("/", "Connection: close\r\n"))),
            200);
  release.set_value();
  EXPECT_EQ(StatusOf(clients[0].ReadAnswer()), 204);
  server->Stop(1'000);
  EXPECT_LT(computed, 20);
}

}  // namespace
}  // namespace http
