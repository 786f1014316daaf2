// Creates and checks certificates of the admission webhook. The operator's only file with OpenSSL;
// certificate_plan.h decides when to rotate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace controller {

// PEM each. The authority signed only this certificate: its key is discarded right after that.
struct ServingPair {
  std::string certificate, key, authority;
  bool operator==(const ServingPair&) const = default;
};

struct Validity {
  int64_t from_ms = 0, until_ms = 0;  // wall clock
};

// `hosts`: DNS names and IP addresses of the certificate, at least one. Valid from five minutes
// before `now_ms`, for clock skew, until `now_ms + life_ms`.
base::Result<ServingPair> MakeServingPair(const std::vector<std::string>& hosts, int64_t now_ms,
                                          int64_t life_ms);

base::Result<Validity> ValidityOf(const std::string& pem);  // kInvalid: no certificate

// The fault of a pair from a Secret; empty: its parts belong together, and the certificate is for
// all of `hosts`. Ignores its dates.
std::string FaultOf(const ServingPair& pair, const std::vector<std::string>& hosts);

// The certificates in a text, each as PEM, in order, at most 16; ignores all other content.
std::vector<std::string> CertificatesIn(const std::string& text);

}  // namespace controller
