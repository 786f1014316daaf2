// Maintains the webhook's certificates: in a Secret that all replicas read and the leader writes,
// in the webhook configurations (caBundle) and in the listener. certificate_plan.h decides.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/guarded.h"
#include "lib/base/process/clock.h"
#include "lib/http/server/tls_identity.h"
#include "lib/kube/client/kube_client.h"
#include "operator/admission/certificate_plan.h"

namespace controller {

struct KeeperOptions {
  kube::ObjectKey secret;
  // Configurations that call the webhook; the keeper sets their caBundle.
  std::vector<std::pair<kube::Resource, std::string>> configurations;
  CertificateRules rules;
  std::function<bool()> may_write;                // null: always
  std::function<void(double days)> on_days_left;  // of the presented one; may be null
};

class CertificateKeeper {
 public:
  // `client` and `identity` must outlive this.
  CertificateKeeper(kube::KubeClient& client, http::TlsIdentity& identity, KeeperOptions options,
                    const base::Clock& clock = base::SystemClock());
  ~CertificateKeeper();  // calls Stop

  void Start();  // starts the thread of rounds
  void Stop();   // after the running round
  // Reads Secret and configurations once and takes the due steps. Returns the delay of the next
  // round in ms. One caller at a time.
  int64_t Round();
  // OK: the API server trusts the presented certificate; or no leader made one in 20 s, since an
  // old leader may wait for this replica to be ready. Any thread.
  base::Status Ready() const;

 private:
  base::Status Look();
  base::Result<std::vector<base::Json>> Configurations();
  base::Result<std::optional<base::Json>> Secret();
  base::Status Write(const std::optional<base::Json>& secret, const Certificates& wanted);
  base::Status Publish(const std::vector<base::Json>& configurations, const std::string& bundle);
  base::Status Show(const ServingPair& pair, const std::string& published);
  int64_t PublishedMs(const std::optional<Certificates>& held, const std::string& published);

  kube::KubeClient& client_;
  http::TlsIdentity& identity_;
  const KeeperOptions options_;
  const base::Clock& clock_;
  const int64_t begun_ms_;
  std::optional<Certificates> held_;  // as last read or written
  std::optional<ServingPair> shown_;
  std::string awaited_;  // published authority of the successor, which waits for the overlap
  int64_t awaited_since_ms_ = 0;
  bool settled_ = false;
  bool read_ = false;         // this round has read all objects
  std::string logged_fault_;  // the last one
  base::Guarded<base::Status> state_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace controller
