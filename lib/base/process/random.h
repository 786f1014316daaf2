// Unpredictable ids and nonces, from the kernel's random source.
#pragma once

#include <cstddef>
#include <string>

namespace base {

std::string RandomHex(size_t bytes);  // two digits a byte
std::string RandomUuid();             // version 4

}  // namespace base
