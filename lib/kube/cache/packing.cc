// Raw deflate with a preset dictionary (zlib; nowhere else).
#include "lib/kube/cache/packing.h"

#include <zlib.h>

#include <algorithm>

#include "lib/base/check.h"

namespace kube {

namespace {

// Level 3 packs similar objects as small as level 6, in two thirds of the time.
constexpr int kLevel = 3, kRawWindow = -15, kMemory = 8;
constexpr size_t kWindow = 32 * 1024;  // of deflate
constexpr size_t kPoor = 4;  // a text that packs to more than a fourth does not resemble the sample
constexpr int kShortestSample = 64;  // texts, so that samples never cost more than they save

Bytef* Bytes(const std::string& text) {
  return reinterpret_cast<Bytef*>(
      const_cast<char*>(text.data()));  // zlib's own signature: only read
}

}  // namespace

std::shared_ptr<const std::string> Packing::SampleFor() {
  const std::lock_guard lock(mutex_);
  ++since_sample_;
  return sample_;
}

// Early texts may lack parts of all later ones, for example a status.
void Packing::Learn(const std::string& text, size_t packed_bytes) {
  const std::lock_guard lock(mutex_);
  if (sample_ && (since_sample_ < kShortestSample || packed_bytes * kPoor <= text.size())) return;
  // Deflate reads only the last kWindow bytes of a dictionary.
  sample_ = std::make_shared<const std::string>(text, text.size() - std::min(text.size(), kWindow));
  since_sample_ = 0;
}

Packing::Packed Packing::Pack(const std::string& text) {
  Packed packed{{}, SampleFor()};
  z_stream stream{};
  CHECK(deflateInit2(&stream, kLevel, Z_DEFLATED, kRawWindow, kMemory, Z_DEFAULT_STRATEGY) == Z_OK);
  if (packed.sample)
    deflateSetDictionary(&stream, Bytes(*packed.sample), static_cast<uInt>(packed.sample->size()));
  std::string buffer(deflateBound(&stream, text.size()), '\0');
  stream.next_in = Bytes(text);
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = Bytes(buffer);
  stream.avail_out = static_cast<uInt>(buffer.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.bytes.assign(buffer, 0, stream.total_out);  // without the buffer's capacity
  deflateEnd(&stream);
  Learn(text, packed.bytes.size());
  return packed;
}

std::string Packing::Unpack(const Packed& packed) {
  z_stream stream{};
  CHECK(inflateInit2(&stream, kRawWindow) == Z_OK);
  if (packed.sample)
    inflateSetDictionary(&stream, Bytes(*packed.sample), static_cast<uInt>(packed.sample->size()));
  stream.next_in = Bytes(packed.bytes);
  stream.avail_in = static_cast<uInt>(packed.bytes.size());
  std::string text(packed.sample ? packed.sample->size() + 1024 : 4096, '\0');
  int result = Z_OK;
  while (result != Z_STREAM_END) {
    if (stream.total_out == text.size()) text.resize(2 * text.size());
    stream.next_out = Bytes(text) + stream.total_out;
    stream.avail_out = static_cast<uInt>(text.size() - stream.total_out);
    result = inflate(&stream, Z_NO_FLUSH);
    CHECK(result == Z_OK || result == Z_STREAM_END);
  }
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

}  // namespace kube
