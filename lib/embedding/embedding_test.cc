// Pieces of texts, sums of their rows, and dot products.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/process/file.h"
#include "lib/base/text/digest.h"
#include "lib/embedding/dot_batch.h"
#include "lib/embedding/static_table.h"
#include "lib/embedding/word_piece.h"
#include "lib/testing/temporary_directory.h"

namespace embedding {
namespace {

constexpr std::string_view kVocabulary =
    "[PAD]\n[UNK]\n,\nun\n##aff\n##able\naff\n##a\nthe\ncafe\n数\n据\nzu\n\xC3\x9F";

std::vector<uint32_t> Cut(std::string_view text) { return WordPiece(kVocabulary).Cut(text); }
using Pieces = std::vector<uint32_t>;

TEST(WordPiece, TakesTheLongestPiecesOfAWord) {
  EXPECT_EQ(Cut("unaffable"), (Pieces{3, 4, 5}));
  EXPECT_EQ(Cut("The, UNAFFABLE\n\tCaf\xC3\xA9"), (Pieces{8, 2, 3, 4, 5, 9}));
  EXPECT_EQ(Cut("数据"), (Pieces{10, 11}));  // each ideograph is a word
}

TEST(WordPiece, LeavesOutWordsThatItCannotCut) {
  EXPECT_EQ(Cut("unknown the"), Pieces{8});
  EXPECT_EQ(Cut(std::string(200, 'a') + " the"), Pieces{8});
  EXPECT_TRUE(Cut("").empty());
  EXPECT_TRUE(Cut("\xFF\xFE \xC3").empty());
}

TEST(WordPiece, ReadsNoMoreThanTheBeginningOfALongText) {
  std::string text;
  while (text.size() <= WordPiece::kMostBytes) text += "the ";
  const size_t most = Cut(text).size();
  EXPECT_EQ(Cut(text + text).size(), most);
  std::string wide;
  while (wide.size() <= 2 * WordPiece::kMostBytes) wide += "\xF0\xA0\x80\x80";  // cut at a border
  EXPECT_TRUE(Cut(wide).empty());
}

TEST(DotBatch, IsExactForAnyNumberOfValues) {
  std::mt19937 random(1);
  for (size_t size : {1, 15, 16, 31, 32, 33, 128, 256, 1000}) {
    std::vector<int8_t> question(size), rows(3 * size);
    for (int8_t& value : question) value = static_cast<int8_t>(random());
    for (int8_t& value : rows) value = static_cast<int8_t>(random());
    question[0] = rows[0] = -128;
    std::vector<int32_t> products(3), expected(3);
    for (size_t i = 0; i < rows.size(); ++i) expected[i / size] += rows[i] * question[i % size];
    DotBatch(question, rows, products);
    EXPECT_EQ(products, expected) << size;
  }
}

// Products of 8 values in the middle, others at both ends of a byte.
TEST(DotEight, IsTheScaledDotBatchOfEveryVector) {
  std::mt19937 random(2);
  constexpr float kScale = 0.01F;
  for (size_t size : {1, 2, 7, 8, 9, 15, 16, 17, 33, 128, 255}) {
    for (size_t count = 0; count <= DotEight::kMost; ++count) {
      std::vector<int8_t> row(size), vectors(count * size);
      for (int8_t& value : row) value = static_cast<int8_t>(random());
      for (int8_t& value : vectors) value = static_cast<int8_t>(random());
      row[0] = -128;
      std::vector<int32_t> products(count);
      DotBatch(row, vectors, products);
      std::vector<float> scales;
      std::vector<uint8_t> expected(DotEight::kMost), bytes(DotEight::kMost, 7);
      for (size_t i = 0; i < count; ++i) {
        scales.push_back(static_cast<float>(i + 1));
        const float part = static_cast<float>(products[i]) * (scales[i] * kScale);
        expected[i] = static_cast<uint8_t>(std::clamp(part + 0.5F, 0.0F, 255.0F));
      }
      DotEight(vectors, size, scales).Dot(row, kScale, std::span<uint8_t, DotEight::kMost>(bytes));
      EXPECT_EQ(bytes, expected) << size << " values, " << count << " vectors";
    }
  }
}

// The cost of hostile text is linear in its first kMostBytes.
TEST(WordPiece, TakesAnyBytes) {
  const WordPiece pieces(kVocabulary);
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string text(random() % 400, ' ');
    for (char& c : text) c = static_cast<char>(random());
    for (uint32_t piece : pieces.Cut(text)) EXPECT_LT(piece, pieces.size());
  }
  EXPECT_TRUE(pieces.Cut(std::string(1 << 20, 'a')).empty());
  EXPECT_EQ(Cut(std::string("t\0h\0e", 5)), Pieces{8});  // control characters are dropped
  EXPECT_EQ(Cut("th\xFF"
                "e th\xE2\x80\x8B"
                "e"),
            (Pieces{8, 8}));
  std::string marks = "the";
  while (marks.size() < WordPiece::kMostBytes) marks += "\xCC\x81";
  EXPECT_EQ(Cut(marks), Pieces{8});  // accents do not count as characters
}

class StaticTableTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& bytes) const { return directory_.Write("table", bytes); }
  static std::string Number(uint32_t number) {
    return {reinterpret_cast<const char*>(&number), sizeof number};
  }
  static std::string Table() {
    const std::string vocabulary = "a\nb\nc";
    return Summed(Number(3) + Number(2) + Number(5) + vocabulary +
                  std::string("\x02\x01\x04\x00\xFE\xFF", 6));
  }
  static std::string Summed(const std::string& content) {
    const std::string digits = base::Sha256Hex(content);
    std::string sum;
    for (size_t i = 0; i < digits.size(); i += 2)
      sum += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    return "amtable1" + sum + content;
  }
  const testing::TemporaryDirectory directory_;
};

TEST_F(StaticTableTest, AddsTheRowsOfATextsPieces) {
  auto table = StaticTable::Open(Write(Table()));
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_GT((*table)->model(), 0);
  EXPECT_EQ((*table)->dimensions(), 2U);
  EXPECT_EQ((*table)->Embed("a b"), (std::vector<int8_t>{127, 21}));
  EXPECT_EQ((*table)->Embed("c"), (std::vector<int8_t>{-127, -64}));
  EXPECT_TRUE((*table)->Embed("a c").empty());  // the rows cancel each other out
  EXPECT_TRUE((*table)->Embed("d").empty());
}

TEST_F(StaticTableTest, RefusesWhatIsNoTable) {
  EXPECT_EQ(StaticTable::Open(directory_.File("none")).error().code, base::Code::kNotFound);
  const std::string whole = Table();
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(StaticTable::Open(Write(whole.substr(0, size)))) << size;
  EXPECT_FALSE(StaticTable::Open(Write(whole + "x")));
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string other = whole;
    other[at] ^= 1;
    EXPECT_FALSE(StaticTable::Open(Write(other))) << at;
  }
  const std::string counted = whole.substr(40);
  for (const char* vocabulary : {"a\nb\n\n", "a\nb c", "\n\n\n\n\n"}) {  // 3 pieces, 2, 5
    std::string other = counted;
    const bool fits =
        StaticTable::Open(Write(Summed(other.replace(12, 5, vocabulary)))).has_value();
    EXPECT_EQ(fits, std::string(vocabulary) == "a\nb\n\n");
  }
  for (size_t at : {2, 6, 10}) {  // valid checksum, but numbers that contradict the size
    std::string other = counted;
    other[at] = '\x7F';
    EXPECT_FALSE(StaticTable::Open(Write(Summed(other)))) << at;
  }
  EXPECT_FALSE(StaticTable::Open(directory_.path()));
}

// Compares the installed table with the results of the Python tokenizer and numpy for texts in
// several scripts.
TEST(EmbeddingTable, GivesWhatItsMakersProgramsGive) {
  auto table = StaticTable::Open("share/agent-memory-server/embedding.table");
  ASSERT_TRUE(table) << table.error().message;
  const auto file = base::ReadFile("share/agent-memory-server/embedding.table");
  ASSERT_TRUE(file);
  uint32_t size = 0;
  std::memcpy(&size, file->data() + 48, sizeof size);
  const WordPiece pieces(std::string_view(*file).substr(52, size));
  const auto text = base::ReadFile("lib/embedding/testdata/texts.json");
  ASSERT_TRUE(text);
  const auto cases = base::ParseJson(*text);
  ASSERT_TRUE(cases);
  ASSERT_GT(cases->size(), 20U);
  for (const auto& one : *cases) {
    const std::string words = one["text"].get<std::string>();
    EXPECT_EQ(pieces.Cut(words), one["pieces"].get<Pieces>()) << words;
    if (one.contains("vector")) {
      EXPECT_EQ((*table)->Embed(words), one["vector"].get<std::vector<int8_t>>()) << words;
    }
  }
}

}  // namespace
}  // namespace embedding
