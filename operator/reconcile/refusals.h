// Recent refusals of the API server, by object: plans do not send a refused object again before
// kAskAgainMs. In memory only.
#pragma once

#include <map>
#include <string>

#include "lib/base/guarded.h"
#include "operator/reconcile/execute.h"

namespace controller {

// Any thread. Times are monotonic ms.
class Refusals {
 public:
  static constexpr int64_t kAskAgainMs = 300'000;

  void Remember(const kube::ObjectKey& key, const Outcome& outcome, int64_t now_ms) {
    if (outcome.refusals.empty()) return;
    refused_.With([&](auto& all) {
      Refused& mine = all[key];
      mine.until_ms = now_ms + kAskAgainMs;
      for (const Refusal& refusal : outcome.refusals) mine.words[refusal.intent] = refusal.words;
    });
  }
  // Intent hash → message of the API server.
  std::map<std::string, std::string> Of(const kube::ObjectKey& key, int64_t now_ms) {
    return refused_.With([&](auto& all) -> std::map<std::string, std::string> {
      auto at = all.find(key);
      if (at == all.end()) return {};
      if (at->second.until_ms >= now_ms) return at->second.words;
      all.erase(at);
      return {};
    });
  }
  void Forget(const kube::ObjectKey& key) {
    refused_.With([&](auto& all) { all.erase(key); });
  }

 private:
  struct Refused {
    std::map<std::string, std::string> words;
    int64_t until_ms = 0;
  };
  base::Guarded<std::map<kube::ObjectKey, Refused>> refused_;
};

}  // namespace controller
