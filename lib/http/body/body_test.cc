// BodyDecoder over pieces of any size. Malformed bodies: hostile_test.cc.
#include "lib/http/body/body.h"

#include <gtest/gtest.h>

#include <random>

namespace http {
namespace {

// Feeds `wire` in pieces of random size, like a connection: passes unconsumed bytes again.
std::string ConsumeInPieces(const BodyExtent& head, std::string_view wire, std::mt19937_64& random,
                            std::string& unused, bool& done) {
  BodyDecoder decoder(head, 1 << 20);
  std::string body, buffer;
  while (!wire.empty() && !decoder.done()) {
    const size_t bytes = std::min<size_t>(wire.size(), 1 + random() % 9);
    buffer.append(wire.substr(0, bytes));
    wire.remove_prefix(bytes);
    const auto step = decoder.Consume(buffer, body);
    EXPECT_FALSE(step.refusal) << step.refusal->reason;
    buffer.erase(0, step.used);
  }
  unused = buffer.append(wire);
  done = decoder.done();
  return body;
}

TEST(BodyDecoder, BodyIsIndependentOfPieces) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 500; ++round) {
    std::string body, chunks;
    for (size_t i = random() % 8; i > 0; --i) {
      const std::string piece(1 + random() % 40, static_cast<char>(random()));
      char size[32];
      std::snprintf(size, sizeof size, "%zx", piece.size());
      chunks += std::string(size) + (random() % 4 == 0 ? ";a=\"b\"" : "") + "\r\n" + piece + "\r\n";
      body += piece;
    }
    chunks += random() % 4 == 0 ? "0\r\nA: b\r\n\r\n" : "0\r\n\r\n";
    BodyExtent chunked;
    chunked.chunked = true;
    BodyExtent counted;
    counted.content_length = body.size();
    std::string unused;
    bool done = false;
    EXPECT_EQ(ConsumeInPieces(chunked, chunks + "NEXT", random, unused, done), body);
    EXPECT_TRUE(done);
    EXPECT_EQ(unused, "NEXT");
    EXPECT_EQ(ConsumeInPieces(counted, body + "NEXT", random, unused, done), body);
    EXPECT_TRUE(done);
    EXPECT_EQ(unused, "NEXT");
    EXPECT_EQ(ConsumeInPieces(chunked, chunks.substr(0, chunks.size() - 1), random, unused, done),
              body);
    EXPECT_FALSE(done) << "the last byte is still to come";
  }
}

// A regression that the test above found: Beast ended the process.
TEST(BodyDecoder, SurvivesLastChunkByteByByte) {
  BodyExtent head;
  head.chunked = true;
  for (const std::string wire : {"0\r\n\r\n", "1\r\nx\r\n0\r\n\r\n", "0\r\nA: b\r\n\r\n"}) {
    BodyDecoder decoder(head, 10);
    std::string body, buffer;
    for (const char byte : wire) {
      EXPECT_FALSE(decoder.done());
      const auto step = decoder.Consume(buffer += byte, body);
      EXPECT_FALSE(step.refusal);
      buffer.erase(0, step.used);
    }
    EXPECT_TRUE(decoder.done());
  }
}

TEST(BodyDecoder, SurvivesRandomBytes) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const std::string letters = "0015aAfF\r\n\r\n;=\" :xZ-";
  BodyExtent head;
  head.chunked = true;
  for (int round = 0; round < 20'000; ++round) {
    BodyDecoder decoder(head, 100);
    std::string body, buffer;
    for (int i = 0; i < 12 && !decoder.done(); ++i) {
      for (size_t n = random() % 5; n > 0; --n) buffer += letters[random() % letters.size()];
      const auto step = decoder.Consume(buffer, body);
      ASSERT_LE(body.size(), 100u);
      if (step.refusal) break;
      buffer.erase(0, step.used);
    }
  }
}

TEST(BodyDecoder, RefusesLargeChunkBeforeItArrives) {
  BodyExtent head;
  head.chunked = true;
  BodyDecoder decoder(head, 10);
  std::string body;
  EXPECT_FALSE(decoder.Consume("6\r\nhello!", body).refusal);
  const auto step = decoder.Consume("\r\n5\r\n", body);
  ASSERT_TRUE(step.refusal);
  EXPECT_EQ(step.refusal->status, 413);
}

}  // namespace
}  // namespace http
