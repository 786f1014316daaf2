// The names of the blocks in which memories are shown to models: one list for the code that renders
// a block and the code that removes blocks from tool output.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace sidecar {

// The sections of an injection. A section with a name here is also removed from tool output.
enum class InjectedBlock { kTask, kSessions, kContext };
inline constexpr std::string_view kInjectedBlocks[] = {"memory:task", "memory:sessions",
                                                       "memory:context"};
constexpr std::string_view NameOf(InjectedBlock block) {
  return kInjectedBlocks[static_cast<size_t>(block)];
}

inline constexpr std::string_view kRecordsBlock = "memory:records";  // answers of our tools
inline constexpr auto kMemoryBlocks = [] {
  std::array<std::string_view, std::size(kInjectedBlocks) + 1> all{kRecordsBlock};
  for (size_t i = 0; i < std::size(kInjectedBlocks); ++i) all[i + 1] = kInjectedBlocks[i];
  return all;
}();

inline std::string OpenTag(std::string_view block) { return "<" + std::string(block) + ">"; }
inline std::string CloseTag(std::string_view block) { return "</" + std::string(block) + ">"; }

}  // namespace sidecar
