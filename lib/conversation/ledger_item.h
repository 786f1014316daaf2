// An item of the injection ledger: the name and the version of what was injected.
// ledger.h has the table. Pure.
#pragma once

#include <map>
#include <string>

namespace conversation {

// The value of an observation is its revision, so that a changed one is injected again; all other
// items have kInjected.
inline constexpr const char* kInjected = "injected";
struct LedgerItem {
  std::string name, value = kInjected;
  bool operator==(const LedgerItem&) const = default;
};
using Ledger = std::map<std::string, std::string>;  // item → value

}  // namespace conversation
