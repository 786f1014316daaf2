// Decides when the webhook's certificates are made, rotated and dropped, and encodes them in a
// Secret. Pure except for new keys; certificate_keeper.h reads and writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "operator/admission/certificate.h"

namespace controller {

// The content of the Secret.
struct Certificates {
  ServingPair serving;              // presented now
  std::optional<ServingPair> next;  // its successor, presented once it is trusted
  std::string former;               // PEM: earlier authorities, which some replicas may still need
  bool operator==(const Certificates&) const = default;
};

struct CertificateRules {
  std::vector<std::string> hosts;
  int64_t life_ms = 0;

  // The time for API servers to learn of a new authority before it is needed.
  int64_t OverlapMs() const;
};

// The authorities for the API server to trust; the newest first.
std::string BundleOf(const Certificates& held);
bool IsIn(const std::string& bundle, const std::string& authority);

// The desired content of the Secret; `held`, the present content, if nothing is due. `published`:
// the API server's present bundle; `published_ms`: its time with the authority of `held->next`.
// After two thirds of its life a pair gets a successor, whose authority is published beside the old
// one; it is presented after the overlap, and the next rotation drops the old authority. A pair
// that is unreadable, for other hosts, or expired is replaced at once.
base::Result<Certificates> NextCertificates(const std::optional<Certificates>& held,
                                            const CertificateRules& rules,
                                            const std::string& published, int64_t published_ms,
                                            int64_t now_ms);

// Encodes and decodes the Secret's `data`; missing fields decode as empty.
base::Json SecretFields(const Certificates& held);
Certificates CertificatesOf(const base::Json& secret);

}  // namespace controller
