// Reads every ten seconds instead of watching: the objects are few, and no change is urgent.
#include "operator/admission/certificate_keeper.h"

#include "lib/base/process/log.h"
#include "lib/base/text/base64.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;

constexpr int64_t kPeriodMs = 10'000, kUnsettledMs = 500, kShortestMs = 200;
constexpr int64_t kLeaderMs = 20'000;  // longer than the default Lease of a dead leader
constexpr double kDayMs = 86'400'000.0;
constexpr const char* kAdmission = "admissionregistration.k8s.io";

const Json& WebhooksOf(const Json& configuration) {
  static const Json none = Json::array();
  const Json* webhooks = base::At(configuration, {"webhooks"});
  return webhooks && webhooks->is_array() ? *webhooks : none;
}

std::string BundleIn(const Json& webhook) {
  return base::DecodeBase64(base::StringAt(webhook, {"clientConfig", "caBundle"})).value_or("");
}

// The bundle of all configurations; empty: they differ, since a rotation is incomplete.
std::string Published(const std::vector<Json>& configurations) {
  std::optional<std::string> all;
  for (const Json& configuration : configurations)
    for (const Json& webhook : WebhooksOf(configuration)) {
      const std::string bundle = BundleIn(webhook);
      if (all && *all != bundle) return "";
      all = bundle;
    }
  return all.value_or("");
}

bool NobodyIsTrusted(const std::vector<Json>& configurations) {
  for (const Json& configuration : configurations)
    for (const Json& webhook : WebhooksOf(configuration))
      if (!BundleIn(webhook).empty()) return false;
  return true;
}

}  // namespace

CertificateKeeper::CertificateKeeper(kube::KubeClient& client, http::TlsIdentity& identity,
                                     KeeperOptions options, const base::Clock& clock)
    : client_(client),
      identity_(identity),
      options_(std::move(options)),
      clock_(clock),
      begun_ms_(clock.MonotonicMs()),
      state_(base::Status(
          base::Error{base::Code::kUnavailable, "the webhook has no certificate yet"})) {}

CertificateKeeper::~CertificateKeeper() { Stop(); }

void CertificateKeeper::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const auto wait = std::chrono::milliseconds(Round());
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, stop, wait, [] { return false; });
    }
  });
}

void CertificateKeeper::Stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

base::Status CertificateKeeper::Ready() const { return state_.Copy(); }

int64_t CertificateKeeper::Round() {
  settled_ = read_ = false;
  base::Status state = Look();
  const std::string fault =
      state || state.error().code == base::Code::kUnavailable ? "" : state.error().message;
  const bool again = !fault.empty() && fault == logged_fault_;
  if (!fault.empty() && !again) base::LogWarn("the webhook's certificates", {{"error", fault}});
  logged_fault_ = fault;
  // While the API server is unavailable, and only then, a replica stays ready with its certificate:
  // an untrusted certificate serves no request.
  const bool away = !state && !read_ &&
                    (state.error().code == base::Code::kUnavailable ||
                     state.error().code == base::Code::kTimeout);
  if (away && shown_ && state_.Copy()) state = {};
  state_.Set(state);
  if (shown_ && options_.on_days_left)
    if (auto valid = ValidityOf(shown_->certificate))
      options_.on_days_left(static_cast<double>(valid->until_ms - clock_.NowMs()) / kDayMs);
  const int64_t period_ms = std::min(kPeriodMs, options_.rules.OverlapMs() / 2);
  return std::max(kShortestMs, settled_ || again ? period_ms : std::min(period_ms, kUnsettledMs));
}

base::Status CertificateKeeper::Look() {
  ASSIGN_OR_RETURN(const std::vector<Json> configurations, Configurations());
  ASSIGN_OR_RETURN(const std::optional<Json> secret, Secret());
  read_ = true;
  const std::string published = Published(configurations);
  // A deleted Secret is recreated with its content, so that published bundles stay valid.
  std::optional<Certificates> held = secret ? CertificatesOf(*secret) : held_;
  const bool writes = !options_.may_write || options_.may_write();
  if (writes) {
    ASSIGN_OR_RETURN(const Certificates wanted,
                     NextCertificates(held, options_.rules, published, PublishedMs(held, published),
                                      clock_.NowMs()));
    if (!secret || !held || wanted != *held) RETURN_IF_ERROR(Write(secret, wanted));
    held = wanted;
  }
  if (!held) {
    // A leader of a version without the webhook makes none, and ends only when its successor is
    // ready. While no bundle is published, no other replica could serve either.
    if (NobodyIsTrusted(configurations) && clock_.MonotonicMs() - begun_ms_ > kLeaderMs) return {};
    return base::Error{
        base::Code::kUnavailable,
        "the webhook has no certificate yet: the leader makes Secret " + options_.secret.Text()};
  }
  held_ = held;
  RETURN_IF_ERROR(Show(held->serving, published));
  const std::string bundle = BundleOf(*held);
  settled_ = published == bundle;
  if (writes && !settled_) RETURN_IF_ERROR(Publish(configurations, bundle));
  if (shown_ && IsIn(published, shown_->authority)) return {};
  return base::Error{base::Code::kUnavailable,
                     "the API server does not trust the webhook's certificate yet"};
}

base::Result<std::vector<base::Json>> CertificateKeeper::Configurations() {
  std::vector<Json> all;
  for (const auto& [resource, name] : options_.configurations) {
    auto found = client_.Get(resource, {"", name});
    if (!found) return base::Wrap(resource.kind + " " + name, found.error());
    all.push_back(*std::move(found));
  }
  return all;
}

base::Result<std::optional<base::Json>> CertificateKeeper::Secret() {
  auto found = client_.Get(Secrets(), options_.secret);
  if (found) return std::optional<Json>(*std::move(found));
  if (found.error().code == base::Code::kNotFound) return std::optional<Json>();
  return base::Wrap("Secret " + options_.secret.Text(), found.error());
}

// Of concurrent writers one wins, and the others read its Secret.
base::Status CertificateKeeper::Write(const std::optional<base::Json>& secret,
                                      const Certificates& wanted) {
  Json change = {{"metadata", Json::object()}, {"data", SecretFields(wanted)}};
  if (secret) {
    change["metadata"]["resourceVersion"] = kube::ResourceVersionOf(*secret);
    auto written = client_.MergePatch(Secrets(), options_.secret, change);
    if (!written) return base::Wrap("Secret " + options_.secret.Text(), written.error());
  } else {
    change.update({{"apiVersion", "v1"}, {"kind", "Secret"}, {"type", "Opaque"}});
    change["metadata"] = {{"name", options_.secret.name},
                          {"namespace", options_.secret.name_space},
                          {"labels", {{kManagedByLabel, kManagedBy}}}};
    auto written = client_.Create(Secrets(), change);
    if (!written) return base::Wrap("Secret " + options_.secret.Text(), written.error());
  }
  const auto valid = ValidityOf(wanted.serving.certificate);
  base::LogInfo("the webhook's certificates are written",
                {{"secret", options_.secret.Text()},
                 {"until", valid ? base::FormatTime(valid->until_ms) : ""},
                 {"successor", wanted.next ? "made" : "none"}});
  return {};
}

// Applies only caBundle, and only to the object that was read: never creates one.
base::Status CertificateKeeper::Publish(const std::vector<base::Json>& configurations,
                                        const std::string& bundle) {
  for (size_t i = 0; i < configurations.size(); ++i) {
    const kube::Resource& resource = options_.configurations[i].first;
    const std::string& name = options_.configurations[i].second;
    Json webhooks = Json::array();
    for (const Json& webhook : WebhooksOf(configurations[i]))
      webhooks.push_back({{"name", base::StringAt(webhook, {"name"})},
                          {"clientConfig", {{"caBundle", base::EncodeBase64(bundle)}}}});
    auto applied = client_.Apply(
        resource, {{"apiVersion", resource.ApiVersion()},
                   {"kind", resource.kind},
                   {"metadata", {{"name", name}, {"uid", kube::UidOf(configurations[i])}}},
                   {"webhooks", std::move(webhooks)}});
    if (!applied) return base::Wrap("caBundle of " + resource.kind + " " + name, applied.error());
  }
  return {};
}

// Presents a pair whose authority is published, and the first pair even before that.
base::Status CertificateKeeper::Show(const ServingPair& pair, const std::string& published) {
  if (shown_ == pair || (shown_ && !IsIn(published, pair.authority))) return {};
  RETURN_IF_ERROR(identity_.Set(pair.certificate, pair.key));
  shown_ = pair;
  base::LogInfo("the webhook presents a certificate", {{"secret", options_.secret.Text()}});
  return {};
}

int64_t CertificateKeeper::PublishedMs(const std::optional<Certificates>& held,
                                       const std::string& published) {
  const bool waits = held && held->next && IsIn(published, held->next->authority);
  if (!waits) {
    awaited_.clear();
    return 0;
  }
  if (awaited_ != held->next->authority) {
    awaited_ = held->next->authority;
    awaited_since_ms_ = clock_.MonotonicMs();
  }
  return clock_.MonotonicMs() - awaited_since_ms_;
}

}  // namespace controller
