// The blocks in which memories are shown to models. Who renders one and who takes it out of what a
// tool returns use the same names.
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
