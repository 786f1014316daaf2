// Uses getrandom(2), which never blocks after boot.
#include "lib/base/process/random.h"

#include <sys/random.h>

#include "lib/base/check.h"
#include "lib/base/text/digest.h"

namespace base {

std::string RandomHex(size_t bytes) {
  std::string random(bytes, '\0');
  CHECK(getrandom(random.data(), bytes, 0) == static_cast<ssize_t>(bytes));
  return Hex(random);
}

std::string RandomUuid() {
  std::string hex = RandomHex(16);
  hex[12] = '4';
  hex[16] = "89ab"[hex[16] & 3];
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" +
         hex.substr(16, 4) + "-" + hex.substr(20);
}

}  // namespace base
