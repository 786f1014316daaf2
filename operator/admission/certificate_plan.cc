// The rotation: successor made → its authority published → successor presented → old one dropped.
#include "operator/admission/certificate_plan.h"

#include <algorithm>

#include "lib/base/text/base64.h"

namespace controller {
namespace {

using base::Json;

constexpr int64_t kLongestOverlapMs = 600'000;
constexpr size_t kMostFormer = 4;
constexpr const char *kCertificate = "tls.crt", *kKey = "tls.key", *kAuthority = "ca.crt",
                     *kFormer = "former-ca.crt", *kNextCertificate = "next.crt",
                     *kNextKey = "next.key", *kNextAuthority = "next-ca.crt";

bool CertificateHasEnded(const std::string& certificate, int64_t now_ms) {
  const auto valid = ValidityOf(certificate);
  return !valid || valid->until_ms <= now_ms;
}

bool IsUsable(const ServingPair& pair, const CertificateRules& rules, int64_t now_ms) {
  return FaultOf(pair, rules.hosts).empty() && !CertificateHasEnded(pair.certificate, now_ms);
}

// Counted from the end, since a certificate is valid from before its creation.
bool IsDue(const ServingPair& pair, const CertificateRules& rules, int64_t now_ms) {
  const auto valid = ValidityOf(pair.certificate);
  return !valid || now_ms >= valid->until_ms - rules.life_ms / 3;
}

// The unexpired ones of `authorities`, each once, at most kMostFormer.
std::string Living(const std::string& authorities, int64_t now_ms) {
  std::string text;
  size_t kept = 0;
  for (const std::string& one : CertificatesIn(authorities)) {
    if (kept == kMostFormer || CertificateHasEnded(one, now_ms) || IsIn(text, one)) continue;
    text += one;
    ++kept;
  }
  return text;
}

}  // namespace

int64_t CertificateRules::OverlapMs() const { return std::min(life_ms / 60, kLongestOverlapMs); }

std::string BundleOf(const Certificates& held) {
  return (held.next ? held.next->authority : "") + held.serving.authority + held.former;
}

bool IsIn(const std::string& bundle, const std::string& authority) {
  return !authority.empty() && bundle.find(authority) != std::string::npos;
}

base::Result<Certificates> NextCertificates(const std::optional<Certificates>& held,
                                            const CertificateRules& rules,
                                            const std::string& published, int64_t published_ms,
                                            int64_t now_ms) {
  if (!held || !IsUsable(held->serving, rules, now_ms)) {
    Certificates fresh;
    if (held && held->next && IsUsable(*held->next, rules, now_ms)) {
      fresh.serving = *held->next;
    } else {
      ASSIGN_OR_RETURN(fresh.serving, MakeServingPair(rules.hosts, now_ms, rules.life_ms));
    }
    // Another replica may still present a certificate of a published authority.
    fresh.former = Living(published, now_ms);
    return fresh;
  }
  Certificates out = *held;
  if (out.next && !IsUsable(*out.next, rules, now_ms)) out.next.reset();
  if (!out.next && IsDue(out.serving, rules, now_ms)) {
    ASSIGN_OR_RETURN(ServingPair next, MakeServingPair(rules.hosts, now_ms, rules.life_ms));
    out.next = std::move(next);
    out.former = Living(out.former, now_ms);
    return out;
  }
  if (out.next && IsIn(published, out.next->authority) && published_ms >= rules.OverlapMs()) {
    out.former = out.serving.authority;
    out.serving = *out.next;
    out.next.reset();
  }
  return out;
}

base::Json SecretFields(const Certificates& held) {
  const ServingPair next = held.next.value_or(ServingPair{});
  Json fields = Json::object();
  auto put = [&](const char* name, const std::string& text) {
    fields[name] = base::EncodeBase64(text);
  };
  put(kCertificate, held.serving.certificate);
  put(kKey, held.serving.key);
  put(kAuthority, held.serving.authority);
  put(kFormer, held.former);
  put(kNextCertificate, next.certificate);
  put(kNextKey, next.key);
  put(kNextAuthority, next.authority);
  return fields;
}

Certificates CertificatesOf(const base::Json& secret) {
  auto field = [&](const char* name) {
    return base::DecodeBase64(base::StringAt(secret, {"data", name})).value_or("");
  };
  Certificates held;
  held.serving = {field(kCertificate), field(kKey), field(kAuthority)};
  held.former = field(kFormer);
  ServingPair next{field(kNextCertificate), field(kNextKey), field(kNextAuthority)};
  if (!next.certificate.empty()) held.next = std::move(next);
  return held;
}

}  // namespace controller
