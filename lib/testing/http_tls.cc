// Certificates and TLS through OpenSSL; a failed call ends the test process.
#include "lib/testing/http_tls.h"

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/check.h"

namespace testing {

namespace {

template <class T, void (*Free)(T*)>
struct Freer {
  void operator()(T* object) const { Free(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY, EVP_PKEY_free>>;
using Certificate509 = std::unique_ptr<X509, Freer<X509, X509_free>>;

Key NewKey() {
  Key key(EVP_EC_gen("P-256"));
  CHECK(key != nullptr);
  return key;
}

template <class Write>
std::string Pem(Write write) {
  BIO* memory = BIO_new(BIO_s_mem());
  CHECK(write(memory) == 1);
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(memory, &bytes);
  std::string text(bytes, static_cast<size_t>(length));
  BIO_free(memory);
  return text;
}

std::string PemOf(X509* certificate) {
  return Pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate); });
}

void AddExtension(X509* certificate, int nid, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
  CHECK(extension != nullptr);
  CHECK(X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

Certificate509 NewCertificate(const std::string& common_name, EVP_PKEY* key, long serial) {
  Certificate509 certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                             0);
  CHECK(X509_set_pubkey(certificate.get(), key) == 1);
  return certificate;
}

Certificate509 ReadCertificate(const std::string& pem) {
  BIO* memory = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  Certificate509 certificate(PEM_read_bio_X509(memory, nullptr, nullptr, nullptr));
  BIO_free(memory);
  CHECK(certificate != nullptr);
  return certificate;
}

Key ReadKey(const std::string& pem) {
  BIO* memory = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  Key key(PEM_read_bio_PrivateKey(memory, nullptr, nullptr, nullptr));
  BIO_free(memory);
  CHECK(key != nullptr);
  return key;
}

std::string ClientName(SSL* session) {
  const Certificate509 certificate(SSL_get1_peer_certificate(session));
  if (!certificate) return "none";
  char name[256] = {};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name,
                            sizeof name);
  return name;
}

void Converse(SSL* session) {
  // OpenSSL uses write(2): the SIGPIPE after a disconnect must not end the test.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  if (SSL_accept(session) != 1) return;
  std::string received;
  char bytes[4096];
  while (true) {
    const int got = SSL_read(session, bytes, sizeof bytes);
    if (got <= 0) return;
    received.append(bytes, static_cast<size_t>(got));
    const size_t end = received.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    received.erase(0, end + 4);
    const std::string name = ClientName(session);
    const std::string answer =
        "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(name.size()) + "\r\n\r\n" + name;
    if (SSL_write(session, answer.data(), static_cast<int>(answer.size())) <= 0) return;
  }
}

}  // namespace

struct TlsAuthority::Keys {
  Key key;
  Certificate509 certificate;
  mutable long next_serial = 2;
};

TlsAuthority::TlsAuthority() : keys_(std::make_unique<Keys>()) {
  keys_->key = NewKey();
  keys_->certificate = NewCertificate("test authority", keys_->key.get(), 1);
  X509* certificate = keys_->certificate.get();
  CHECK(X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) == 1);
  AddExtension(certificate, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(certificate, NID_key_usage, "critical,keyCertSign");
  CHECK(X509_sign(certificate, keys_->key.get(), EVP_sha256()) > 0);
  pem_ = PemOf(certificate);
}

TlsAuthority::~TlsAuthority() = default;

Certificate TlsAuthority::Issue(const std::string& common_name, const std::string& names) const {
  const Key key = NewKey();
  const Certificate509 certificate = NewCertificate(common_name, key.get(), keys_->next_serial++);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(keys_->certificate.get()));
  AddExtension(certificate.get(), NID_basic_constraints, "critical,CA:FALSE");
  if (!names.empty()) AddExtension(certificate.get(), NID_subject_alt_name, names);
  CHECK(X509_sign(certificate.get(), keys_->key.get(), EVP_sha256()) > 0);
  return {PemOf(certificate.get()), Pem([&](BIO* out) {
            return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

struct TlsServer::Context {
  std::unique_ptr<SSL_CTX, Freer<SSL_CTX, SSL_CTX_free>> context{SSL_CTX_new(TLS_server_method())};
};

TlsServer::TlsServer(const Certificate& certificate, const std::string& client_authority)
    : context_(std::make_unique<Context>()),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  SSL_CTX* context = context_->context.get();
  CHECK(SSL_CTX_use_certificate(context, ReadCertificate(certificate.certificate_pem).get()) == 1);
  CHECK(SSL_CTX_use_PrivateKey(context, ReadKey(certificate.key_pem).get()) == 1);
  if (!client_authority.empty()) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ReadCertificate(client_authority).get());
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  CHECK(::listen(listener_, 16) == 0);
  socklen_t length = sizeof address;
  CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this](const std::stop_token& stop) { Serve(stop); });
}

TlsServer::~TlsServer() {
  thread_.request_stop();
  thread_.join();
  ::close(listener_);
}

void TlsServer::Serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd entry{listener_, POLLIN, 0};
    if (::poll(&entry, 1, 10) <= 0) continue;
    const int descriptor = ::accept(listener_, nullptr, nullptr);
    if (descriptor < 0) continue;
    // The timeout lets the thread stop while a client keeps its connection open.
    const timeval patience{0, 100'000};
    ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    SSL* session = SSL_new(context_->context.get());
    SSL_set_fd(session, descriptor);
    Converse(session);
    SSL_free(session);
    ::close(descriptor);
  }
}

}  // namespace testing
