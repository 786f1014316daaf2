// A charge is granted or refused at once: a request that waited for memory would hold a connection,
// and two of them could wait for each other (ADR 44). So one counter, moved by compare-and-swap, is
// enough, and no lock is needed.
#include "lib/base/limits/byte_budget.h"

#include <utility>

namespace base {

namespace {

thread_local ByteCharge* of_this_thread = nullptr;

}  // namespace

ByteCharge* ByteCharge::OfThisThread() { return of_this_thread; }

ChargeScope::ChargeScope(ByteCharge* charge) : before_(std::exchange(of_this_thread, charge)) {}

ChargeScope::~ChargeScope() { of_this_thread = before_; }

bool ByteBudget::TryMove(size_t from, size_t to) {
  if (to <= from) {
    Move(from, to);
    return true;
  }
  size_t used = used_;
  const size_t limit = LimitOf(to);
  do {
    if (used - from > limit || to > limit - (used - from)) return false;
  } while (!used_.compare_exchange_weak(used, used - from + to));
  NoteHighest(used - from + to);
  return true;
}

void ByteBudget::Move(size_t from, size_t to) {
  const size_t moved = to - from;  // wraps if `to` is less; the sum wraps back
  NoteHighest(used_.fetch_add(moved) + moved);
}

void ByteBudget::NoteHighest(size_t used) {
  size_t highest = highest_;
  while (used > highest && !highest_.compare_exchange_weak(highest, used)) {
  }
}

ByteCharge::ByteCharge(ByteCharge&& other) noexcept
    : budget_(other.budget_),
      bytes_(std::exchange(other.bytes_, 0)),
      parsed_(std::exchange(other.parsed_, 0)) {}

ByteCharge& ByteCharge::operator=(ByteCharge&& other) noexcept {
  if (this == &other) return *this;
  Set(0);
  budget_ = other.budget_;
  bytes_ = std::exchange(other.bytes_, 0);
  parsed_ = std::exchange(other.parsed_, 0);
  return *this;
}

bool ByteCharge::TrySet(size_t bytes) {
  if (budget_ != nullptr && !budget_->TryMove(bytes_, bytes)) return false;
  bytes_ = bytes;
  return true;
}

bool ByteCharge::TryParsed(size_t bytes) {
  if (bytes <= parsed_) return true;
  if (!TryAdd(bytes - parsed_)) return false;
  parsed_ = bytes;
  return true;
}

void ByteCharge::Set(size_t bytes) {
  if (budget_ != nullptr) budget_->Move(bytes_, bytes);
  bytes_ = bytes;
}

}  // namespace base
