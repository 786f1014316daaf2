// The names of the blocks in which memories are shown to models: one list for the code that renders
// a block and the code that removes blocks from tool output.
#pragma once

#include <string>
#include <string_view>

namespace sidecar {

inline constexpr std::string_view kContextBlock = "memory:context",
                                  kSessionsBlock = "memory:sessions",
                                  kRecordsBlock = "memory:records";
inline constexpr std::string_view kMemoryBlocks[] = {kContextBlock, kSessionsBlock, kRecordsBlock};

inline std::string OpenTag(std::string_view block) { return "<" + std::string(block) + ">"; }
inline std::string CloseTag(std::string_view block) { return "</" + std::string(block) + ">"; }

}  // namespace sidecar
