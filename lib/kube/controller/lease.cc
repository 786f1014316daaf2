// Every write has the resourceVersion on which its decision is based (fencing), so that only one of
// two replicas that find the Lease free takes it; the other gets a conflict.
#include "lib/kube/controller/lease.h"

#include <algorithm>

namespace kube {

namespace {

constexpr int64_t kNotHeld = INT64_MIN, kNotFailing = INT64_MIN;

std::string HolderOf(const Json& spec) { return base::StringAt(spec, {"holderIdentity"}); }

int64_t NumberAt(const Json& spec, const char* field) {
  const Json* number = base::At(spec, {field});
  return number && number->is_number_integer() ? number->get<int64_t>() : 0;
}

uint64_t SeedOf(uint64_t seed) { return seed != 0 ? seed : std::random_device()(); }

}  // namespace

ClientSettings ForLease(ClientSettings client, const LeaseSettings& lease) {
  client.timeout_ms = lease.renew_deadline_ms / 2;
  client.longest_retry_after_ms = lease.retry_ms / 2;
  return client;
}

Lease::Lease(KubeClient& client, LeaseSettings settings, const base::Clock& clock)
    : client_(client),
      settings_(std::move(settings)),
      clock_(clock),
      random_(SeedOf(settings_.seed)) {}

int64_t Lease::WriteAllowanceMs() const {
  const int64_t renewed_ms = renewed_ms_.load();
  if (renewed_ms == kNotHeld) return 0;
  const int64_t age_ms = clock_.MonotonicMs() - renewed_ms;
  return age_ms < settings_.renew_deadline_ms ? settings_.duration_ms - age_ms : 0;
}

// Monotonic; INT64_MIN or a past time: no other replica holds the Lease.
int64_t Lease::EndOfOthersMs() const {
  const std::string holder = HolderOf(spec_);
  if (holder.empty() || holder == settings_.identity) return INT64_MIN;
  const int64_t named_ms = NumberAt(spec_, "leaseDurationSeconds") * 1000;
  return observed_ms_ + (named_ms > 0 ? named_ms : settings_.duration_ms);
}

int64_t Lease::NextTryMs() {
  std::uniform_int_distribution<int64_t> jitter(settings_.retry_ms / 2, settings_.retry_ms);
  const int64_t retry_ms = jitter(random_), end_ms = EndOfOthersMs();
  if (end_ms == INT64_MIN) return retry_ms;
  return std::clamp<int64_t>(end_ms - clock_.MonotonicMs() + 1, 1, retry_ms);
}

void Lease::Observe(const Json& lease) {
  const Json* spec = base::At(lease, {"spec"});
  version_ = ResourceVersionOf(lease);
  Json seen = spec ? *spec : Json::object();
  if (seen == spec_) return;  // only metadata changed: no renewal
  spec_ = std::move(seen);
  observed_ms_ = clock_.MonotonicMs();
}

base::Status Lease::Look() {
  auto lease = client_.Get(Leases(), settings_.key);
  if (lease) {
    Observe(*lease);
  } else if (lease.error().code == base::Code::kNotFound) {
    version_.clear();  // keeps spec_: its holder may still write, unaware of the deletion
  } else {
    return lease.error();
  }
  return {};
}

int64_t Lease::FailingMs() const {
  const int64_t since_ms = failing_since_ms_.load();
  return since_ms == kNotFailing ? 0 : clock_.MonotonicMs() - since_ms;
}

Json Lease::Record(int64_t duration_s, const std::string& holder, bool taken) const {
  const std::string now = MicroTime(clock_.NowMs());
  Json record = {
      {"holderIdentity", holder}, {"leaseDurationSeconds", duration_s}, {"renewTime", now}};
  if (taken) {
    record["acquireTime"] = now;
    record["leaseTransitions"] = NumberAt(spec_, "leaseTransitions") +
                                 (spec_.is_null() || HolderOf(spec_) == holder ? 0 : 1);
  }
  return record;
}

base::Status Lease::Write() {
  const int64_t begun_ms = clock_.MonotonicMs();
  const bool taken = version_.empty() || HolderOf(spec_) != settings_.identity;
  // Rounded up to a second: other replicas must not take the Lease while this one believes to hold
  // it.
  const int64_t duration_s = (settings_.duration_ms + 999) / 1000;
  Json lease = {
      {"apiVersion", Leases().ApiVersion()},
      {"kind", Leases().kind},
      {"metadata", {{"name", settings_.key.name}, {"namespace", settings_.key.name_space}}},
      {"spec", Record(duration_s, settings_.identity, taken)}};
  if (!version_.empty()) lease["metadata"]["resourceVersion"] = version_;
  auto written = version_.empty() ? client_.Create(Leases(), lease)
                                  : client_.MergePatch(Leases(), settings_.key, lease);
  if (!written) return written.error();
  Observe(*written);
  renewed_ms_ = begun_ms;
  return {};
}

base::Status Lease::Try() {
  auto tried = TakeOrRenew();
  if (tried)
    failing_since_ms_ = kNotFailing;
  else if (failing_since_ms_ == kNotFailing)
    failing_since_ms_ = clock_.MonotonicMs();
  return tried;
}

base::Status Lease::TakeOrRenew() {
  // Renews a held Lease without reading it; reads after a conflict or a deletion.
  if (renewed_ms_ != kNotHeld && HolderOf(spec_) == settings_.identity) {
    auto renewed = Write();
    const bool changed = !renewed && (renewed.error().code == base::Code::kConflict ||
                                      renewed.error().code == base::Code::kNotFound);
    if (!changed) return renewed;
  }
  RETURN_IF_ERROR(Look());
  if (HolderOf(spec_) != settings_.identity) renewed_ms_ = kNotHeld;
  if (EndOfOthersMs() > clock_.MonotonicMs()) return {};
  return Write();
}

base::Status Lease::Release() {
  if (renewed_ms_.exchange(kNotHeld) == kNotHeld) return {};
  if (HolderOf(spec_) != settings_.identity) return {};
  auto released = WriteFree();
  if (released || released.error().code != base::Code::kConflict) return released;
  // version_ is outdated by a renewal whose answer was lost, or another replica holds the Lease.
  RETURN_IF_ERROR(Look());
  return version_.empty() || HolderOf(spec_) != settings_.identity ? base::Status() : WriteFree();
}

base::Status Lease::WriteFree() {
  // A duration of 1 s, since the server refuses 0; no replica waits for an empty holder.
  Json lease = {{"metadata", {{"resourceVersion", version_}}}, {"spec", Record(1, "", false)}};
  auto written = client_.MergePatch(Leases(), settings_.key, lease);
  if (written) Observe(*written);
  return written ? base::Status() : base::Status(written.error());
}

}  // namespace kube
