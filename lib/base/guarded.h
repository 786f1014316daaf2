// Guarded<T>: a value that is accessible only under its mutex, so that no lock can be forgotten.
#pragma once

#include <condition_variable>
#include <mutex>
#include <utility>

namespace base {

template <class T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  // Calls `use` with the value, locked. `use` must not block on anything else.
  template <class F>
  auto With(F&& use) {
    std::lock_guard lock(mutex_);
    return std::forward<F>(use)(value_);
  }
  template <class F>
  auto With(F&& use) const {
    std::lock_guard lock(mutex_);
    return std::forward<F>(use)(value_);
  }
  T Copy() const {
    return With([](const T& value) { return value; });
  }
  void Set(T value) {
    With([&](T& mine) { mine = std::move(value); });
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

}  // namespace base
