// What a TLS server shows of itself: a certificate and its key, which may be exchanged while it
// listens. Where they come from is not its subject.
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
  // PEM. New connections get these, open ones keep theirs. kInvalid: they cannot be read or are no
  // pair; what was there stays.
  base::Status Set(const std::string& certificate_pem, const std::string& key_pem);
  std::shared_ptr<ssl_ctx_st> context() const;  // OpenSSL's SSL_CTX; null before the first Set

 private:
  base::Guarded<std::shared_ptr<ssl_ctx_st>> context_;
};

}  // namespace http
