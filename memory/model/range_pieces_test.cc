// The pieces of rows of a range, through changes.
#include "memory/model/range_pieces.h"

#include <gtest/gtest.h>

#include <vector>

#include "memory/model/slots.h"

namespace memory {
namespace {

constexpr int64_t kPiecesRange = 3;

int64_t PiecesSlot(int64_t number) { return kPiecesRange << kRangeBits | number; }

std::vector<Piece> PiecesAt(const RangePieces& pieces, int64_t number) {
  const std::span<const Piece> of = pieces.Of(PiecesSlot(number));
  return {of.begin(), of.end()};
}

TEST(RangePieces, AreThoseOfTheLastPut) {
  RangePieces pieces(kPiecesRange);
  pieces.Put(PiecesSlot(5), std::vector<Piece>{1, 2});
  pieces.Put(PiecesSlot(2), std::vector<Piece>{7});
  pieces.Put(PiecesSlot(5), std::vector<Piece>{3});
  EXPECT_EQ(PiecesAt(pieces, 5), (std::vector<Piece>{3}));
  EXPECT_EQ(PiecesAt(pieces, 2), (std::vector<Piece>{7}));
  EXPECT_TRUE(PiecesAt(pieces, 4).empty());
  EXPECT_TRUE(pieces.Of(5).empty());  // of another range
  pieces.Remove(PiecesSlot(2));
  pieces.Remove(PiecesSlot(2));
  EXPECT_TRUE(PiecesAt(pieces, 2).empty());
  EXPECT_EQ(pieces.size(), 1U);
}

TEST(RangePieces, ManyChangesKeepNoRoom) {
  RangePieces pieces(kPiecesRange);
  for (int round = 0; round < 1000; ++round)
    for (int64_t number = 0; number < 10; ++number)
      pieces.Put(PiecesSlot(number), std::vector<Piece>(20, static_cast<Piece>(round)));
  EXPECT_LT(pieces.bytes(), 10'000U);
  EXPECT_EQ(PiecesAt(pieces, 9), std::vector<Piece>(20, 999));
}

TEST(RangePieces, OfALongTextTheFirstCount) {
  RangePieces pieces(kPiecesRange);
  pieces.Put(PiecesSlot(1), std::vector<Piece>(5000, 4));
  EXPECT_EQ(PiecesAt(pieces, 1).size(), 1024U);
}

TEST(RangePieces, AreCountedByRow) {
  RangePieces pieces(kPiecesRange);
  for (int64_t number = 0; number < 100; ++number)
    pieces.Put(PiecesSlot(number),
               number % 4 == 0 ? std::vector<Piece>{1, 9} : std::vector<Piece>{9});
  pieces.CountSample();
  std::vector<double> counts(3);
  const std::vector<Piece> asked = {1, 5, 9};
  EXPECT_EQ(pieces.Count(asked, counts), 100U);
  EXPECT_EQ(counts, (std::vector<double>{25, 0, 100}));
  pieces.Remove(PiecesSlot(0));
  pieces.CountSample();
  EXPECT_EQ(pieces.Count(asked, counts), 99U);
  EXPECT_EQ(counts, (std::vector<double>{49, 0, 199}));
}

TEST(RangePieces, OfManyRowsEverySecondIsCounted) {
  RangePieces pieces(kPiecesRange);
  for (int64_t number = 0; number < 600; ++number)
    pieces.Put(PiecesSlot(number), std::vector<Piece>{static_cast<Piece>(number % 2)});
  pieces.CountSample();
  std::vector<double> counts(2);
  EXPECT_EQ(pieces.Count(std::vector<Piece>{0, 1}, counts), 300U);
  EXPECT_EQ(counts, (std::vector<double>{300, 0}));
}

}  // namespace
}  // namespace memory
