// A certificate authority in memory and a small TLS server, for tests of the client. Loopback only.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

namespace testing {

struct Certificate {
  std::string certificate_pem, key_pem;
};

// A new authority; its certificates are valid for an hour.
class TlsAuthority {
 public:
  TlsAuthority();
  ~TlsAuthority();
  const std::string& certificate_pem() const { return pem_; }
  // `names`: a subjectAltName, such as "IP:127.0.0.1,DNS:localhost".
  Certificate Issue(const std::string& common_name, const std::string& names) const;

 private:
  struct Keys;
  std::unique_ptr<Keys> keys_;
  std::string pem_;
};

// Answers every request with 200 and the common name of the client's certificate ("none" without
// one).
class TlsServer {
 public:
  // `client_authority`: PEM; if given, clients must present a certificate of it.
  TlsServer(const Certificate& certificate, const std::string& client_authority = {});
  ~TlsServer();
  int port() const { return port_; }

 private:
  void Serve(const std::stop_token& stop);
  struct Context;
  std::unique_ptr<Context> context_;
  int listener_, port_ = 0;
  std::jthread thread_;
};

}  // namespace testing
