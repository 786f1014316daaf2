// One limit on the bytes that all requests of a process hold together: bodies, what is parsed of
// them, answers. Nobody waits for bytes: a charge is granted at once or refused, so that there is
// no deadlock. Any thread. What the limit comes from is memory_limit.h.
#pragma once

#include <atomic>
#include <cstddef>

namespace base {

class ByteBudget {
 public:
  // A sixteenth of the budget is a reserve for small charges: whoever sends a few KB is served
  // while large bodies hold the rest.
  static constexpr size_t kSmallBytes = 48 << 10;

  explicit ByteBudget(size_t limit) : limit_(limit), large_limit_(limit - limit / 16) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  size_t limit() const { return limit_; }
  size_t largest() const { return large_limit_; }  // one charge, while nobody else has any
  size_t used() const { return used_; }
  size_t highest() const { return highest_; }  // of used(), since the start
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

// What one holder has of a budget; given back at its end. Of one thread at a time; the budget
// outlives it. Without a budget everything is granted and nothing is counted.
class ByteCharge {
 public:
  ByteCharge() = default;
  explicit ByteCharge(ByteBudget* budget) : budget_(budget) {}
  ByteCharge(ByteCharge&& other) noexcept;
  ByteCharge& operator=(ByteCharge&& other) noexcept;
  ~ByteCharge() { Set(0); }

  size_t bytes() const { return bytes_; }
  const ByteBudget* budget() const { return budget_; }
  // Makes the charge `bytes`; less is always granted. False: it stays what it was.
  bool TrySet(size_t bytes);
  bool TryAdd(size_t bytes) { return TrySet(bytes_ + bytes); }
  // For what is there already: goes beyond the limit, so that others are refused meanwhile.
  void Set(size_t bytes);

  // Adds what one parsed text holds. Only the largest of a request counts: texts are parsed one
  // after the other, and a stream has any number of them.
  bool TryParsed(size_t bytes);

  // The charge of the request that this thread handles; null: of none. What builds something large
  // of a request (a parser, say) raises it, however deep below the handler it is called.
  static ByteCharge* OfThisThread();

 private:
  ByteBudget* budget_ = nullptr;
  size_t bytes_ = 0, parsed_ = 0;
};

// Makes a charge that of this thread, for a scope.
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
