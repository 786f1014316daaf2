// Charges a request for its body, or refuses the request: functions of Connection, which
// connection.cc calls. The charge itself is base::ByteCharge.
#include "lib/http/server/connection.h"

namespace http {

// False: refused. Charges a chunked body as it arrives, a streamed one with its window.
bool Connection::ChargeBody(uint64_t body_bytes) {
  const size_t bytes =
      exchange_->reads_body ? kStreamBytes : body_bytes * core_.options.copies_of_bodies;
  if (IsBeyondPeersShare(bytes)) {
    if (core_.options.over_budget) core_.options.over_budget(503);
    Refuse(503, "memory-budget: bodies of " + peer_ + " are under way that hold the " +
                    std::to_string(core_.options.peer_percent) +
                    " percent of it that one peer may have; send them one after the other");
    return false;
  }
  if (exchange_->charge.TrySet(bytes)) return true;
  const base::ByteBudget& budget = core_.budget();
  const bool ever = budget.CanEverGrant(bytes);
  if (core_.options.over_budget) core_.options.over_budget(ever ? 503 : 413);
  const std::string needs = "memory-budget: the body needs " + std::to_string(bytes) +
                            " bytes with the copies that are made of it, and ";
  if (ever) {
    Refuse(503, needs + "other requests hold " + std::to_string(budget.used()) + " of " +
                    std::to_string(budget.limit()) + "; send it again");
  } else {
    Refuse(413, needs + "one request may have " + std::to_string(budget.largest()) +
                    "; send less, or raise the budget or the container's memory limit");
  }
  return false;
}

// Without a share, a peer that announces bodies and does not send them blocks all other peers until
// the timeout.
bool Connection::IsBeyondPeersShare(size_t bytes) const {
  if (core_.options.peer_percent >= 100 || bytes <= base::ByteBudget::kSmallBytes) return false;
  size_t others = 0;
  for (const auto& connection : core_.connections) {
    const bool arrives = connection->state_ == State::kBody && connection->peer_ == peer_;
    if (arrives && connection.get() != this) others += connection->exchange_->charge.bytes();
  }
  const size_t share =
      core_.budget().largest() / 100 * static_cast<size_t>(core_.options.peer_percent);
  return others > 0 && others + bytes > share;
}

}  // namespace http
