// The server behind TLS: its certificate and rotation, clients without TLS, and Stop.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "lib/http/client/client.h"
#include "lib/http/server/server.h"
#include "lib/testing/eventually.h"
#include "lib/testing/http_tls.h"
#include "lib/testing/raw_socket.h"
#include "lib/testing/temporary_directory.h"

namespace http {
namespace {

class TlsServing : public ::testing::Test {
 protected:
  void Show(const testing::TlsAuthority& authority) {
    const auto issued = authority.Issue("s", "IP:127.0.0.1");
    ASSERT_TRUE(identity_->Set(issued.certificate_pem, issued.key_pem));
  }
  void Start(ServerOptions options = {}) {
    options.tls = identity_;
    std::vector<Route> routes{{"POST", "/echo",
                               [this](const Request& request) {
                                 ++handled_;
                                 return TextResponse(200, request.body);
                               },
                               4 << 20}};
    server_ = Server::Start(Router(std::move(routes)), options).value();
  }
  std::unique_ptr<Client> Trusting(const testing::TlsAuthority& authority) {
    ClientOptions options;
    options.base_url = "https://" + server_->address();
    options.ca_file = directory_.File("ca" + std::to_string(++files_));
    std::ofstream(options.ca_file) << authority.certificate_pem();
    return MakeClient(options).value();
  }
  static std::string Echo(Client& client, const std::string& text) {
    ClientRequest request;
    request.method = "POST";
    request.target = "/echo";
    request.body = text;
    const auto answer = client.Send(request);
    return answer ? answer->body : "error: " + answer.error().message;
  }

  std::shared_ptr<TlsIdentity> identity_ = std::make_shared<TlsIdentity>();
  std::atomic<int> handled_ = 0;
  std::unique_ptr<Server> server_;
  const testing::TemporaryDirectory directory_;
  int files_ = 0;
};

TEST_F(TlsServing, AnswersClientThatTrustsItsAuthority) {
  const testing::TlsAuthority authority, other;
  Show(authority);
  Start();
  const std::string large(3 << 20, 'x');
  const auto client = Trusting(authority);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Echo(*client, large) == large) << i;
  EXPECT_TRUE(Echo(*Trusting(other), "x").starts_with("error"));
}

TEST_F(TlsServing, NewIdentityAppliesToNewConnections) {
  const testing::TlsAuthority before, after;
  Show(before);
  Start();
  const auto old = Trusting(before);
  EXPECT_EQ(Echo(*old, "a"), "a");
  Show(after);
  EXPECT_EQ(Echo(*old, "b"), "b") << "its connection is open";
  EXPECT_EQ(Echo(*Trusting(after), "c"), "c");
  EXPECT_TRUE(Echo(*Trusting(before), "d").starts_with("error"));
}

TEST_F(TlsServing, InvalidPairIsRefusedAndOldOneStays) {
  const testing::TlsAuthority authority;
  Show(authority);
  Start();
  const auto one = authority.Issue("s", "IP:127.0.0.1"), two = authority.Issue("s", "IP:127.0.0.1");
  EXPECT_EQ(identity_->Set(one.certificate_pem, two.key_pem).error().code, base::Code::kInvalid);
  EXPECT_EQ(identity_->Set("no", one.key_pem).error().code, base::Code::kInvalid);
  EXPECT_EQ(identity_->Set(one.certificate_pem, "no").error().code, base::Code::kInvalid);
  EXPECT_EQ(Echo(*Trusting(authority), "a"), "a");
}

TEST_F(TlsServing, ConnectionsAreClosedWithoutIdentityOrTls) {
  const testing::TlsAuthority authority;
  Start();
  testing::RawSocket early(server_->port());
  EXPECT_EQ(early.ReadAll(), "");
  EXPECT_TRUE(early.closed());
  Show(authority);
  testing::RawSocket plain(server_->port());
  plain.Send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(plain.ReadAll().find("HTTP"), std::string::npos);
  EXPECT_EQ(Echo(*Trusting(authority), "a"), "a");
}

TEST_F(TlsServing, UnfinishedHandshakeIsClosed) {
  const testing::TlsAuthority authority;
  Show(authority);
  ServerOptions options;
  options.header_timeout_ms = 1'000;
  Start(options);
  testing::RawSocket silent(server_->port());
  EXPECT_EQ(silent.ReadAll(), "");
  EXPECT_TRUE(silent.closed());
  EXPECT_EQ(Echo(*Trusting(authority), "a"), "a");
}

TEST_F(TlsServing, StopsWithConnectionsOpen) {
  const testing::TlsAuthority authority;
  Show(authority);
  Start();
  const auto client = Trusting(authority);
  EXPECT_EQ(Echo(*client, "a"), "a");
  testing::RawSocket silent(server_->port());
  server_->Stop(1'000);
  EXPECT_EQ(silent.ReadAll(), "") << "a handshake that was under way is closed, too";
  EXPECT_TRUE(silent.closed());
  EXPECT_TRUE(Echo(*client, "b").starts_with("error"));
}

// The client still reads when the server has written the whole answer and stops.
TEST_F(TlsServing, StopLosesNoAnswer) {
  const testing::TlsAuthority authority;
  Show(authority);
  Start();
  const std::string large(3 << 20, 'x');
  std::string answer;
  std::thread asking([&] { answer = Echo(*Trusting(authority), large); });
  ASSERT_TRUE(testing::Eventually([&] { return handled_ == 1; }));
  server_->Stop(60'000);
  asking.join();
  EXPECT_TRUE(answer == large) << answer.size() << " bytes: " << answer.substr(0, 100);
}

}  // namespace
}  // namespace http
