// What the settings make of a table that cannot be used: words alone, and no error.
#include "memory/embedders.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "lib/testing/temporary_directory.h"

namespace memory {
namespace {

TEST(Embedders, AreNoneWithoutATable) {
  const testing::TemporaryDirectory scratch;
  EXPECT_EQ(MakeEmbedder({false, {}, scratch.File("none")}), nullptr);
  EXPECT_EQ(MakeEmbedder({true, {}, scratch.File("none")}), nullptr);
  EXPECT_EQ(MakeEmbedder({true, {}, scratch.path()}), nullptr);
  std::ofstream(scratch.File("garbage")) << std::string(10'000, 'x');
  EXPECT_EQ(MakeEmbedder({true, {}, scratch.File("garbage")}), nullptr);
}

TEST(Embedders, PiecesOfTheTableAreNearByMeaning) {
  const auto embedder = MakeEmbedder({true, {}, "share/agent-memory-server/embedding.table"});
  ASSERT_NE(embedder, nullptr);
  const PieceMeaning* pieces = embedder->pieces();
  ASSERT_NE(pieces, nullptr);
  const auto one = [&](std::string_view word) {
    const std::vector<Piece> of = pieces->PiecesOf(word);
    EXPECT_EQ(of.size(), 1U) << word;
    return of.at(0);
  };
  const std::vector<Piece> asked = {one("car"), one("salary")};
  const std::vector<Piece> known = {one("car"), one("vehicle"), one("wages")};
  const std::vector<PieceCosines> near = pieces->Compare(known, asked);
  ASSERT_EQ(near.size(), 3U);
  EXPECT_EQ(near[0].parts[0], 255);
  EXPECT_GT(near[1].parts[0], near[1].parts[1]);  // vehicle: car, salary
  EXPECT_GT(near[2].parts[1], near[2].parts[0]);  // wages: salary, car
  EXPECT_EQ(pieces->PiecesOf("Is the car, the 7 a car?"), std::vector<Piece>{one("car")});
}

}  // namespace
}  // namespace memory
