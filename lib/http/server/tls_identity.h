// The certificate and key of a TLS server, replaceable while it listens. The caller loads and
// rotates them.
#pragma once

#include <memory>
#include <string>

#include "lib/base/guarded.h"
#include "lib/base/result.h"

struct ssl_ctx_st;

namespace http {

// Any thread.
class TlsIdentity {
 public:
  // PEM. New connections get this pair, open ones keep theirs. kInvalid: unreadable or no pair; the
  // previous pair stays.
  base::Status Set(const std::string& certificate_pem, const std::string& key_pem);
  std::shared_ptr<ssl_ctx_st> context() const;  // OpenSSL's SSL_CTX; null before the first Set

 private:
  base::Guarded<std::shared_ptr<ssl_ctx_st>> context_;
};

}  // namespace http
