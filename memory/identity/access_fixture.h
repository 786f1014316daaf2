// An authorizer with grants of its own, for the tests of shared memory. Test code.
#pragma once

#include <functional>
#include <set>

#include "lib/base/guarded.h"
#include "memory/identity/access_reviewer.h"

namespace memory {

class FakeAuthorizer : public AccessReviewer {
 public:
  // "<namespace>/<account>/<verb>/<owner>", the owner empty for all.
  void Allow(const std::string& question) {
    state_.With([&](State& state) { state.allowed.insert(question); });
  }
  void Deny(const std::string& question) {
    state_.With([&](State& state) { state.allowed.erase(question); });
  }
  void SetDown(bool down) {
    state_.With([&](State& state) { state.down = down; });
  }
  void OnReview(std::function<void()> call) {
    state_.With([&](State& state) { state.on_review = std::move(call); });
  }
  int asked() const {
    return state_.With([](const State& state) { return state.asked; });
  }

  base::Result<bool> Review(const AccessQuestion& question) override {
    const auto on_review = state_.With([](State& state) {
      ++state.asked;
      return state.on_review;
    });
    if (on_review) on_review();
    return state_.With([&](State& state) -> base::Result<bool> {
      if (state.down) return base::Error{base::Code::kUnavailable, "connection refused"};
      return state.allowed.contains(question.name_space + "/" + question.account + "/" +
                                    question.verb + "/" + question.owner);
    });
  }

 private:
  struct State {
    std::set<std::string> allowed;
    int asked = 0;
    bool down = false;
    std::function<void()> on_review;
  };
  base::Guarded<State> state_;
};

}  // namespace memory
