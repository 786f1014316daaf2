// Certificates of the admission webhook: making a pair, and reading what one is good for. The one
// file of the operator that knows OpenSSL. When one is to be exchanged is certificate_plan.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace controller {

// PEM each. The authority signed this certificate alone: its key is forgotten as soon as it has.
struct ServingPair {
  std::string certificate, key, authority;
  bool operator==(const ServingPair&) const = default;
};

struct Validity {
  int64_t from_ms = 0, until_ms = 0;  // wall clock
};

// `hosts`: DNS names and IP addresses that it is for, at least one. Valid from five minutes before
// `now_ms`, for clocks that differ, until `now_ms + life_ms`.
base::Result<ServingPair> MakeServingPair(const std::vector<std::string>& hosts, int64_t now_ms,
                                          int64_t life_ms);

base::Result<Validity> ValidityOf(const std::string& pem);  // kInvalid: no certificate

// Fault of a pair as it came from a Secret; empty: its parts belong together, and the certificate
// is for all of `hosts`. Its dates are not looked at.
std::string FaultOf(const ServingPair& pair, const std::vector<std::string>& hosts);

// The certificates in a text, each as PEM, in order; whatever else is in it is left out.
std::vector<std::string> CertificatesIn(const std::string& text);

}  // namespace controller
