// Soft matches of made-up pieces: n and m are as near as 1 - |n - m| / 10.
#include "memory/model/soft_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace memory {
namespace {

class Numbers : public PieceMeaning {
 public:
  std::vector<Piece> PiecesOf(std::string_view) const override { return {}; }
  std::vector<PieceCosines> Compare(std::span<const Piece> pieces,
                                    std::span<const Piece> asked) const override {
    std::vector<PieceCosines> near;
    for (const Piece piece : pieces) {
      PieceCosines& made = near.emplace_back();
      for (size_t i = 0; i < asked.size(); ++i) {
        const double cosine = std::max(0.0, 1 - std::abs(piece - asked[i]) / 10.0);
        made.parts[i] = static_cast<uint8_t>(PieceCosines::kParts * cosine);
      }
    }
    return near;
  }
};

const Numbers kNumbers;

Record PlacedAt(int64_t session, int64_t position) {
  Record record;
  record.slot = 1000 * session + position;
  record.session = session;
  record.position = position;
  return record;
}

size_t IndexOf(const std::vector<Record>& records, const Record& record) {
  return static_cast<size_t>(&record - records.data());
}

std::vector<double> SoftOf(const std::vector<Record>& records,
                           const std::vector<std::vector<Piece>>& pieces, const AskedPieces& asked,
                           const std::vector<bool>& wanted = {}) {
  return SoftMatches(
      records, wanted.empty() ? std::vector<bool>(records.size(), true) : wanted,
      [&](const Record& record) { return std::span(pieces[IndexOf(records, record)]); }, asked,
      kNumbers);
}

TEST(SoftMatch, SumsTheNearestPieceToEachAskedOne) {
  const AskedPieces asked{{100, 200}, {2, 1}};
  const std::vector<double> matches =
      SoftOf({PlacedAt(1, 1), PlacedAt(2, 1), PlacedAt(3, 1), PlacedAt(4, 1)},
             {{100, 200}, {105, 150}, {100, 105, 109}, {}}, asked);
  EXPECT_NEAR(matches[0], 3, 0.02);
  EXPECT_NEAR(matches[1], 1, 0.02);
  EXPECT_NEAR(matches[2], 2, 0.02);
  EXPECT_EQ(matches[3], 0);
}

TEST(SoftMatch, IsLentWithinThreeRowsOfTheSession) {
  const AskedPieces asked{{100}, {1}};
  const std::vector<Record> records = {PlacedAt(1, 1), PlacedAt(1, 3), PlacedAt(1, 4),
                                       PlacedAt(1, 5), PlacedAt(1, 8), PlacedAt(2, 5)};
  const std::vector<double> matches = SoftOf(records, {{}, {}, {100}, {}, {}, {}}, asked);
  EXPECT_NEAR(matches[2], 1, 0.01);
  EXPECT_GT(matches[3], matches[1]);  // what follows says more of it than what goes before
  EXPECT_GT(matches[1], matches[0]);
  EXPECT_GT(matches[0], 0.3);
  EXPECT_EQ(matches[4], 0);
  EXPECT_EQ(matches[5], 0);
  std::vector<Record> later = records;
  later[3].created_ms = 3'600'000;
  EXPECT_LT(SoftOf(later, {{}, {}, {100}, {}, {}, {}}, asked)[3], matches[3]);
}

TEST(SoftMatch, OnlyTheWindowsOfWantedRecordsAreRead) {
  const AskedPieces asked{{100}, {1}};
  const std::vector<Record> records = {PlacedAt(1, 1), PlacedAt(1, 2), PlacedAt(1, 9),
                                       PlacedAt(2, 1), PlacedAt(2, 2), PlacedAt(2, 6)};
  const std::vector<Piece> same{100};
  std::vector<size_t> read;
  const std::vector<double> matches = SoftMatches(
      records, {false, true, false, true, false, false},
      [&](const Record& record) {
        read.push_back(IndexOf(records, record));
        return std::span(same);
      },
      asked, kNumbers);
  EXPECT_EQ(read, (std::vector<size_t>{0, 1, 3, 4}));
  for (size_t i = 0; i < records.size(); ++i)
    EXPECT_NEAR(matches[i], i == 1 || i == 3 ? 1 : 0, 0.01) << i;
}

TEST(SoftMatch, RarePiecesWeighMore) {
  const AskedPieces asked =
      WeighPieces(std::vector<Piece>{1, 2, 3}, std::vector<double>{50, 1, 100}, 100);
  EXPECT_EQ(asked.pieces, (std::vector<Piece>{2, 1, 3}));
  EXPECT_GT(asked.weights[0], asked.weights[1]);
  EXPECT_GT(asked.weights[1], 10 * asked.weights[2]);
}

TEST(SoftMatch, ALongQuestionCountsWithItsRarestPieces) {
  std::vector<Piece> pieces;
  std::vector<double> with;
  for (Piece piece = 0; piece < 50; ++piece) pieces.push_back(piece), with.push_back(50 - piece);
  const AskedPieces asked = WeighPieces(pieces, with, 100);
  ASSERT_EQ(asked.pieces.size(), AskedPieces::kMost);
  EXPECT_EQ(asked.pieces[0], 49);
}

}  // namespace
}  // namespace memory
