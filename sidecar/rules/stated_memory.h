// The memory that a statement becomes.
#pragma once

#include "sidecar/rules/capture.h"
#include "sidecar/rules/stated.h"

namespace sidecar {

inline constexpr const char* kStatedRule = "stated";

// Of trust class user; its topic key deduplicates the same words.
Capture StatedMemory(const Stated& stated);

}  // namespace sidecar
