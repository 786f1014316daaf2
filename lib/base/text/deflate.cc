// Uses zlib's one-shot calls.
#include "lib/base/text/deflate.h"

#include <zlib.h>

#include "lib/base/check.h"

namespace base {

std::string Deflate(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string deflated(size, '\0');
  CHECK(compress(reinterpret_cast<Bytef*>(deflated.data()), &size,
                 reinterpret_cast<const Bytef*>(text.data()), text.size()) == Z_OK);
  deflated.resize(size);
  return deflated;
}

std::optional<std::string> Inflate(const std::string& deflated, size_t size) {
  std::string text(size, '\0');
  uLongf inflated = size;
  const int result = uncompress(reinterpret_cast<Bytef*>(text.data()), &inflated,
                                reinterpret_cast<const Bytef*>(deflated.data()), deflated.size());
  if (result != Z_OK || inflated != size) return std::nullopt;
  return text;
}

}  // namespace base
