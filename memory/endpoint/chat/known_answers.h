// A cache of recent requests to a model and their parsed answers, so that a repeated request after
// a failed store costs no tokens.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "lib/base/limits/lru.h"
#include "lib/base/text/digest.h"

namespace memory {

// Any thread. Keys are digests of requests.
template <class Answer>
class KnownAnswers {
 public:
  explicit KnownAnswers(size_t most) : answers_(most) {}
  std::optional<Answer> Find(const std::string& request) {
    const std::string digest = base::Sha256Hex(request);
    const std::lock_guard lock(mutex_);
    const Answer* known = answers_.Find(digest);
    return known ? std::optional(*known) : std::nullopt;
  }
  void Put(const std::string& request, Answer answer) {
    const std::string digest = base::Sha256Hex(request);
    const std::lock_guard lock(mutex_);
    answers_.Put(digest, std::move(answer));
  }

 private:
  std::mutex mutex_;
  base::LruMap<Answer> answers_;  // under mutex_
};

}  // namespace memory
