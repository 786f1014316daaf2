// The name and version under which the injection ledger knows a thing. The ledger's table is
// ledger.h. Pure.
#pragma once

#include <map>
#include <string>

namespace sidecar {

// The name of something injected in a conversation's ledger, and which version of it: an
// observation has its revision, everything else is kInjected (rulings K27).
inline constexpr const char* kInjected = "injected";
struct LedgerMark {
  std::string item, value = kInjected;
  bool operator==(const LedgerMark&) const = default;
};
using Ledger = std::map<std::string, std::string>;  // item → value

}  // namespace sidecar
