// An entry of the injection ledger as a value: the name and the version of an injected item.
// ledger.h has the table. Pure.
#pragma once

#include <map>
#include <string>

namespace conversation {

// The value of an observation is its revision, so that a changed one is injected again; all other
// items have kInjected.
inline constexpr const char* kInjected = "injected";
struct LedgerMark {
  std::string item, value = kInjected;
  bool operator==(const LedgerMark&) const = default;
};
using Ledger = std::map<std::string, std::string>;  // item → value

}  // namespace conversation
