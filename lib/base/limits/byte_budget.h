// One limit on the bytes that all requests of a process hold together: bodies, parsed values,
// answers. A charge is granted or refused at once, without waiting, so that there is no deadlock.
// Any thread. memory_limit.h computes the limit.
#pragma once

#include <atomic>
#include <cstddef>

namespace base {

class ByteBudget {
 public:
  // A sixteenth of the budget is reserved for small charges, so that requests of a few KB are
  // served while large bodies hold the rest.
  static constexpr size_t kSmallBytes = 48 << 10;

  explicit ByteBudget(size_t limit) : limit_(limit), large_limit_(limit - limit / 16) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  size_t limit() const { return limit_; }
  size_t largest() const { return large_limit_; }  // of one large charge, without any other
  size_t used() const { return used_; }
  size_t highest() const { return highest_; }  // maximum of used() since the start
  bool CanEverGrant(size_t bytes) const { return bytes <= LimitOf(bytes); }

 private:
  friend class ByteCharge;
  size_t LimitOf(size_t bytes) const { return bytes <= kSmallBytes ? limit_ : large_limit_; }
  bool TryMove(size_t from, size_t to);
  void Move(size_t from, size_t to);
  void NoteHighest(size_t used);

  const size_t limit_, large_limit_;
  std::atomic<size_t> used_ = 0, highest_ = 0;
};

// The bytes that one holder has of a budget; the destructor returns them. One thread at a time; the
// budget outlives the charge. Without a budget every charge is granted and none is counted.
class ByteCharge {
 public:
  ByteCharge() = default;
  explicit ByteCharge(ByteBudget* budget) : budget_(budget) {}
  ByteCharge(ByteCharge&& other) noexcept;
  ByteCharge& operator=(ByteCharge&& other) noexcept;
  ~ByteCharge() { Set(0); }

  size_t bytes() const { return bytes_; }
  const ByteBudget* budget() const { return budget_; }
  // Sets the charge to `bytes`; a decrease is always granted. False: the charge is unchanged.
  bool TrySet(size_t bytes);
  bool TryAdd(size_t bytes) { return TrySet(bytes_ + bytes); }
  // For allocated bytes: may exceed the limit; other charges are refused meanwhile.
  void Set(size_t bytes);

  // Charges the values of one parsed text. Only the largest text of a request counts: texts are
  // parsed one after the other, and a stream has any number of them.
  bool TryParsed(size_t bytes);

  // The charge of the request that this thread handles; null: no request. Code that allocates much
  // for a request (for example a parser) raises the charge, at any depth below the handler.
  static ByteCharge* OfThisThread();

 private:
  ByteBudget* budget_ = nullptr;
  size_t bytes_ = 0, parsed_ = 0;
};

// Sets OfThisThread() for a scope.
class ChargeScope {
 public:
  explicit ChargeScope(ByteCharge* charge);
  ~ChargeScope();
  ChargeScope(const ChargeScope&) = delete;
  ChargeScope& operator=(const ChargeScope&) = delete;

 private:
  ByteCharge* const before_;
};

}  // namespace base
