// Bytes as hexadecimal digits, and their SHA-256. Pure.
#pragma once

#include <string>
#include <string_view>

namespace base {

std::string Hex(std::string_view bytes);        // lower case
std::string Sha256Hex(std::string_view bytes);  // 64 lower-case digits

}  // namespace base
