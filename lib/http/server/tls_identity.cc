// One OpenSSL context per pair, without session resumption: a client that reconnects after a
// rotation gets the new certificate.
#include "lib/http/server/tls_identity.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

namespace http {
namespace {

template <class T, void (*Free)(T*)>
struct Freer {
  void operator()(T* object) const { Free(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509, X509_free>>;
struct BioFreer {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Memory = std::unique_ptr<BIO, BioFreer>;

base::Error Fault(const char* what) {
  ERR_clear_error();  // the thread's queue may have parts of the input
  return {base::Code::kInvalid, std::string("TLS identity: ") + what};
}

}  // namespace

base::Status TlsIdentity::Set(const std::string& certificate_pem, const std::string& key_pem) {
  const Memory certificate_text(
      BIO_new_mem_buf(certificate_pem.data(), static_cast<int>(certificate_pem.size())));
  const Memory key_text(BIO_new_mem_buf(key_pem.data(), static_cast<int>(key_pem.size())));
  const Certificate certificate(
      PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr));
  if (!certificate) return Fault("the certificate is no PEM of one");
  const Key key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr));
  if (!key) return Fault("the key is no PEM of one");
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context) return Fault("out of memory");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_num_tickets(context.get(), 0);
  if (SSL_CTX_use_certificate(context.get(), certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1)
    return Fault("certificate and key are no pair");
  context_.With([&](auto& held) { held = std::move(context); });
  return {};
}

std::shared_ptr<ssl_ctx_st> TlsIdentity::context() const {
  return context_.With([](const auto& held) { return held; });
}

}  // namespace http
