// When the webhook's certificates are made, exchanged and forgotten, and how they lie in a Secret.
// Pure but for the making of keys; who reads and writes is certificate_keeper.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "operator/admission/certificate.h"

namespace controller {

// What the Secret holds.
struct Certificates {
  ServingPair serving;              // what is shown
  std::optional<ServingPair> next;  // what will be, once everybody trusts it
  std::string former;               // PEM: authorities of before, which some may still need
  bool operator==(const Certificates&) const = default;
};

struct CertificateRules {
  std::vector<std::string> hosts;
  int64_t life_ms = 0;

  // How long the API servers are given to learn of a new authority before it is needed.
  int64_t OverlapMs() const;
};

// Whom the API server is to trust; the newest first.
std::string BundleOf(const Certificates& held);
bool IsIn(const std::string& bundle, const std::string& authority);

// What should lie in the Secret now. `held`: what does, if it does. `published`: the bundle that
// the API server has now; `published_ms`: how long it has had `held->next`. Gives back `held` where
// nothing is due. Two thirds into its life a pair gets its successor, whose authority is trusted
// beside the old one; it is shown after the overlap, and the old authority goes with the next
// rotation. What is unreadable, is for other hosts, or has ended is replaced at once.
base::Result<Certificates> NextCertificates(const std::optional<Certificates>& held,
                                            const CertificateRules& rules,
                                            const std::string& published, int64_t published_ms,
                                            int64_t now_ms);

// The Secret's `data`, and back; fields that are missing come back empty.
base::Json SecretFields(const Certificates& held);
Certificates CertificatesOf(const base::Json& secret);

}  // namespace controller
