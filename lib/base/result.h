// Errors as values: a small closed set of codes, and Result<T>, which holds a value or an Error.
// Named like C++23's std::expected. Not for programmer errors: those end the process (check.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace base {

// The kind of an error, by which callers decide. Mapped to an HTTP status in
// lib/http/message/message.h, to a condition in operator/agent/status.cc, to a retry in
// lib/kube/controller/work_queue.h; nowhere else.
enum class Code {
  kInvalid,      // the input is malformed or out of limits; the same call never succeeds
  kNotFound,     // does not exist, or is not the caller's
  kDenied,       // exists, but is not allowed
  kConflict,     // clashes with what is stored
  kTooLarge,     // over a size limit
  kFull,         // no room on the volume or in a bounded store
  kUnavailable,  // cannot be done now; try again
  kTimeout,      // not done inside the deadline
  kInternal,     // a fault of this program
};

const char* CodeName(Code code);  // "invalid", "not_found", …: the names on the wire

// `message` is for the person on call: what was tried, on what, why it failed, what to do.
struct Error {
  Code code = Code::kInternal;
  std::string message;
};

// Two optionals, of which one has a value: a std::variant of the two costs the compiler a seventh
// of a build.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }
  // Throws std::bad_optional_access without a value: check first.
  T& value() & { return value_.value(); }
  const T& value() const& { return value_.value(); }
  T&& value() && { return std::move(value_).value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return error_.value(); }
  template <class U>
  T value_or(U&& fallback) const& {
    return has_value() ? value() : static_cast<T>(std::forward<U>(fallback));
  }

 private:
  std::optional<T> value_;
  std::optional<Error> error_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }
  const Error& error() const { return error_.value(); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

// An Error with `context` in front of its message: Wrap("open /x/state.db", error).
Error Wrap(std::string_view context, const Error& error);

}  // namespace base

// Leaves the calling function with the error of `expression`, if it has one.
#define RETURN_IF_ERROR(expression)                                    \
  do {                                                                 \
    if (auto status_ = (expression); !status_) return status_.error(); \
  } while (false)

// ASSIGN_OR_RETURN(auto row, store.Get(id));
#define ASSIGN_OR_RETURN(declaration, expression) \
  ASSIGN_OR_RETURN_IMPL_(BASE_JOIN_(result_, __LINE__), declaration, expression)
#define ASSIGN_OR_RETURN_IMPL_(result, declaration, expression) \
  auto result = (expression);                                   \
  if (!result) return result.error();                           \
  declaration = std::move(result).value()
#define BASE_JOIN_(a, b) BASE_JOIN2_(a, b)
#define BASE_JOIN2_(a, b) a##b
