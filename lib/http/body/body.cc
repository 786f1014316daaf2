// Counted bodies end by length; chunked ones go through Beast's parser, which needs a head first
// and gets a constant one.
#include "lib/http/body/body.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <functional>

#include "lib/base/check.h"

namespace http {

namespace beast_http = boost::beast::http;

namespace {

constexpr size_t kMaxChunkLineBytes = 4 << 10;  // a chunk's size line, or all trailers together
// Beast 1.74 asserts five bytes after the last chunk: "0\r\n" and then "\r" would end the process.
// Between chunks the rest of a valid body is never shorter than the shortest end, "0\r\n\r\n", so
// the decoder can wait for five bytes there.
constexpr size_t kShortestEnd = 5;
constexpr std::string_view kChunkedHead = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";

}  // namespace

struct BodyDecoder::Chunked {
  explicit Chunked(uint64_t most) : max_bytes(most) { parser.on_chunk_header(on_chunk); }

  const uint64_t max_bytes;
  uint64_t left = 0;  // of the chunk that is being read
  std::function<void(uint64_t, boost::beast::string_view, boost::system::error_code&)> on_chunk =
      [this](uint64_t size, auto, auto&) { left = size; };
  beast_http::request_parser<beast_http::buffer_body> parser;
};

BodyDecoder::BodyDecoder(const BodyExtent& framing, uint64_t max_bytes)
    : remaining_(framing.content_length), done_(!framing.has_body()) {
  if (!framing.chunked) return;
  chunked_ = std::make_unique<Chunked>(max_bytes);
  chunked_->parser.body_limit(max_bytes);  // counts announced chunks: refuses bombs early
  boost::system::error_code error;
  const size_t used = chunked_->parser.put(boost::asio::buffer(kChunkedHead), error);
  CHECK(!error && used == kChunkedHead.size());
}

BodyDecoder::~BodyDecoder() = default;
BodyDecoder::BodyDecoder(BodyDecoder&&) noexcept = default;
BodyDecoder& BodyDecoder::operator=(BodyDecoder&&) noexcept = default;

BodyDecoder::Step BodyDecoder::Consume(std::string_view bytes, std::string& out) {
  if (done_) return {};
  return chunked_ ? ConsumeChunked(bytes, out) : ConsumeCounted(bytes, out);
}

BodyDecoder::Step BodyDecoder::ConsumeCounted(std::string_view bytes, std::string& out) {
  const size_t used = static_cast<size_t>(std::min<uint64_t>(bytes.size(), remaining_));
  out.append(bytes.substr(0, used));
  remaining_ -= used;
  done_ = remaining_ == 0;
  return {used, std::nullopt};
}

BodyDecoder::Step BodyDecoder::ConsumeChunked(std::string_view bytes, std::string& out) {
  auto& parser = chunked_->parser;
  Step step;
  while (!parser.is_done()) {
    const std::string_view rest = bytes.substr(step.used);
    if (chunked_->left == 0 && rest.size() < kShortestEnd) return step;
    if (rest.empty()) return step;
    char piece[16 << 10];
    parser.get().body().data = piece;
    parser.get().body().size = sizeof piece;
    boost::system::error_code error;
    step.used += parser.put(boost::asio::buffer(rest.data(), rest.size()), error);
    const size_t got = sizeof piece - parser.get().body().size;
    out.append(piece, got);
    chunked_->left -= std::min<uint64_t>(chunked_->left, got);
    if (error == beast_http::error::body_limit) {
      step.refusal = Refusal{413, "the body is larger than the limit of " +
                                      std::to_string(chunked_->max_bytes) + " bytes"};
      return step;
    }
    if (error == beast_http::error::need_more) {
      if (bytes.size() - step.used > kMaxChunkLineBytes) {
        step.refusal = Refusal{400, "a chunk's size line or the trailers are too long"};
      }
      return step;
    }
    if (error && error != beast_http::error::need_buffer) {
      step.refusal = Refusal{400, "malformed chunk: " + error.message()};
      return step;
    }
  }
  done_ = true;
  return step;
}

}  // namespace http
