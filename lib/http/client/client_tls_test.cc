// The authorities that the client trusts, and its own certificate.
#include <gtest/gtest.h>

#include "lib/http/client/client.h"
#include "lib/testing/http_tls.h"
#include "lib/testing/temporary_directory.h"

namespace http {
namespace {

class TlsClient : public ::testing::Test {
 protected:
  ClientOptions Options(const std::string& host, int port, const std::string& authority) const {
    ClientOptions options;
    options.base_url = "https://" + host + ":" + std::to_string(port);
    if (!authority.empty()) options.ca_file = directory_.Write("ca.pem", authority);
    return options;
  }
  // Returns the body of the answer, or the error's message.
  static std::string Ask(const ClientOptions& options) {
    auto client = MakeClient(options);
    if (!client) return client.error().message;
    ClientRequest request;
    request.target = "/";
    const auto answer = (*client)->Send(request);
    return answer ? answer->body : answer.error().message;
  }

  testing::TlsAuthority authority_;
  const testing::TemporaryDirectory directory_;
};

TEST_F(TlsClient, TrustsTheGivenAuthorityForNamesAndAddresses) {
  const testing::TlsServer server(authority_.Issue("s", "IP:127.0.0.1,DNS:localhost"));
  const std::string& pem = authority_.certificate_pem();
  EXPECT_EQ(Ask(Options("127.0.0.1", server.port(), pem)), "none");
  EXPECT_EQ(Ask(Options("localhost", server.port(), pem)), "none");
}

TEST_F(TlsClient, RefusesACertificateForAnotherName) {
  const testing::TlsServer server(authority_.Issue("other", "IP:127.0.0.2,DNS:other"));
  const std::string& pem = authority_.certificate_pem();
  EXPECT_NE(Ask(Options("127.0.0.1", server.port(), pem)).find("SSL"), std::string::npos);
  EXPECT_NE(Ask(Options("localhost", server.port(), pem)).find("SSL"), std::string::npos);
}

TEST_F(TlsClient, RefusesAnotherAuthority) {
  const testing::TlsServer server(authority_.Issue("s", "IP:127.0.0.1"));
  const testing::TlsAuthority other;
  EXPECT_NE(Ask(Options("127.0.0.1", server.port(), other.certificate_pem())).find("SSL"),
            std::string::npos);
  EXPECT_NE(Ask(Options("127.0.0.1", server.port(), "")).find("SSL"), std::string::npos);
}

TEST_F(TlsClient, PresentsItsCertificate) {
  const testing::TlsServer server(authority_.Issue("s", "IP:127.0.0.1"),
                                  authority_.certificate_pem());
  ClientOptions options = Options("127.0.0.1", server.port(), authority_.certificate_pem());
  EXPECT_NE(Ask(options), "admin");
  const auto mine = authority_.Issue("admin", "");
  options.certificate_file = directory_.Write("client.pem", mine.certificate_pem);
  options.key_file = directory_.Write("client.key", mine.key_pem);
  EXPECT_EQ(Ask(options), "admin");
}

TEST_F(TlsClient, ErrorNamesUnusableFile) {
  ClientOptions options;
  options.base_url = "https://127.0.0.1:1";
  options.ca_file = directory_.File("none.pem");
  EXPECT_EQ(MakeClient(options).error().code, base::Code::kInvalid);
  options.ca_file = directory_.Write("ca.pem", "not a certificate");
  EXPECT_EQ(MakeClient(options).error().code, base::Code::kInvalid);
  options.ca_file = directory_.Write("ca.pem", authority_.certificate_pem());
  options.certificate_file = options.ca_file;
  EXPECT_EQ(MakeClient(options).error().code, base::Code::kInvalid)
      << "a certificate without its key";
}

}  // namespace
}  // namespace http
