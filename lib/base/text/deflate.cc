// Uses zlib's one-shot calls where the size is known.
#include "lib/base/text/deflate.h"

#include <zlib.h>

#include <algorithm>

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

std::optional<std::string> InflateAtMost(const std::string& deflated, size_t most) {
  constexpr size_t kStep = 16 << 10;
  z_stream stream{};
  CHECK(inflateInit(&stream) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflated.data()));  // only read
  stream.avail_in = static_cast<uInt>(deflated.size());
  std::string text;
  int result = Z_OK;
  while (result == Z_OK && text.size() <= most) {
    const size_t before = text.size();
    text.resize(before + std::min(kStep, most + 1 - before));
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + before);
    stream.avail_out = static_cast<uInt>(text.size() - before);
    result = inflate(&stream, Z_NO_FLUSH);
    text.resize(text.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (result != Z_STREAM_END || text.size() > most) return std::nullopt;
  return text;
}

}  // namespace base
