// Tests blocks in a file: when they open and close, that closing makes compact forms and changes no
// message, and that older conversations are cut into blocks.
#include "lib/conversation/block/blocks.h"

#include <gtest/gtest.h>

#include "lib/base/text/text.h"
#include "lib/conversation/conversations.h"
#include "lib/conversation/message_fixture.h"
#include "lib/conversation/rows_fixture.h"
#include "lib/conversation/sqlite/rows.h"

namespace conversation {
namespace {

using base::Json;

Message CallAs(const std::string& id, const std::string& name) {
  Message message = Call({id});
  message.tool_calls[0]["function"] = {{"name", name}, {"arguments", "{}"}};
  return message;
}

class Blocks : public RowsTest {
 protected:
  void Add(const std::vector<Message>& messages, TurnPlace place) {
    Together([&] { ASSERT_TRUE(AppendToBlock(rows(), "c", messages, ++now_, place)); });
  }
  std::optional<Block> Close(const std::string& outcome = "", const BlockDigest* digest = nullptr) {
    return *CloseBlock(rows(), "c", ++now_, digest, outcome);
  }
  std::string Originals() {
    Json all = Json::array();
    const auto page = *MessagesBetween(rows(), "c", 1, INT64_MAX);
    for (const auto& message : page.messages) all.push_back(EncodeMessage(message));
    return base::DumpJson(all);
  }
  // "0:1-4 closed, 1:5-6 open"
  std::string Shape() {
    std::string shape;
    const auto blocks = *rows().ListBlocks("c", 0, 1'000);
    for (const Block& block : blocks) {
      if (!shape.empty()) shape += ", ";
      shape += std::to_string(block.number) + ":" + std::to_string(block.first) + "-" +
               std::to_string(block.last) + (block.open ? " open" : " closed");
    }
    return shape;
  }
  BlockReader Reader() {
    return [this](const std::function<base::Status(Rows&)>& use) { return use(rows()); };
  }

  int64_t now_ = 1'000;
};
INSTANTIATE_TEST_SUITE_P(Rows, Blocks, kBothEngines, EngineName);
class BlocksOnDisk : public Blocks {};
INSTANTIATE_TEST_SUITE_P(Rows, BlocksOnDisk, testing::Values(Engine::kSqlite), EngineName);

TEST_P(Blocks, PromptOpensAnswerClosesAndMessagesStay) {
  Add({Text("user", "check disk usage")}, TurnPlace::kBegins);
  Add({CallAs("1", "exec"), ToolResult("1", "92%")}, TurnPlace::kGoesOn);
  EXPECT_EQ(Shape(), "0:1-3 open");
  Add({Text("assistant", "Cleaned.")}, TurnPlace::kGoesOn);
  const std::string before = Originals();
  const auto closed = Close();
  ASSERT_TRUE(closed);
  EXPECT_TRUE(closed->digested);
  EXPECT_EQ(closed->query, "check disk usage");
  EXPECT_EQ(closed->summary, "check disk usage — exec x1 → \"Cleaned.\"");
  EXPECT_EQ(closed->tools, (ToolCounts{{"exec", 1}}));
  EXPECT_EQ(Originals(), before);
  const auto parts = *FindParts(rows(), "c", 0);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 3U);
  EXPECT_EQ((*parts)[1].tool_use, "<prior_tool_use>\nexec {} -- 92%\n</prior_tool_use>");
  EXPECT_EQ(closed->tokens, (16 + 52 - 3 + 8) / 3);
  EXPECT_FALSE(Close()) << "none is open";
  Add({Text("user", "next")}, TurnPlace::kBegins);
  EXPECT_EQ(Shape(), "0:1-4 closed, 1:5-5 open");
}

TEST_P(Blocks, PromptClosesAnOpenBlock) {
  Add({Text("user", "one")}, TurnPlace::kBegins);
  Add({Text("user", "two")}, TurnPlace::kBegins);
  EXPECT_EQ(Shape(), "0:1-1 closed, 1:2-2 open");
}

// A hook may keep an agent going after its Stop: that is the same turn.
TEST_P(Blocks, ContinuedTurnReopensItsBlock) {
  Add({Text("user", "one")}, TurnPlace::kBegins);
  ASSERT_TRUE(Close());
  Add({CallAs("1", "exec"), ToolResult("1", "late")}, TurnPlace::kGoesOn);
  EXPECT_EQ(Shape(), "0:1-3 open");
  EXPECT_FALSE(*FindParts(rows(), "c", 0));
  EXPECT_EQ(Close()->summary, "one — exec x1");
}

TEST_P(Blocks, ToolsWithoutPromptHaveABlock) {
  Add({CallAs("1", "exec"), ToolResult("1", "x")}, TurnPlace::kGoesOn);
  EXPECT_EQ(Shape(), "0:1-2 open");
  EXPECT_EQ(Close()->summary, "(no request) — exec x1");
}

TEST_P(Blocks, PostedUserMessageOpensABlock) {
  Add({Text("assistant", "hello")}, TurnPlace::kPosted);
  EXPECT_EQ(Shape(), "");
  Add({Text("system", "rules"), Text("user", "one")}, TurnPlace::kPosted);
  EXPECT_EQ(Shape(), "0:2-3 open");
  Add({Text("user", "more")}, TurnPlace::kPosted);
  EXPECT_EQ(Shape(), "0:2-4 open");
  ASSERT_TRUE(Close("my \"own\" words"));
  EXPECT_EQ(FindBlock(rows(), "c", 0)->value().summary, "one → \"my 'own' words\"");
  Add({Text("assistant", "alone")}, TurnPlace::kPosted);
  EXPECT_EQ(Shape(), "0:2-4 closed");
}

TEST_P(Blocks, OpenBlockContinuesAfterRestart) {
  Add({Text("user", "one")}, TurnPlace::kBegins);
  Reopen();
  Add({Text("assistant", "done")}, TurnPlace::kGoesOn);
  EXPECT_EQ(Shape(), "0:1-2 open");
  EXPECT_EQ(Close()->summary, "one → \"done\"");
}

// Closing reads little inside the transaction: PrepareClose reads before it, else the form is made
// on demand.
TEST_P(Blocks, LargeBlockIsReadBeforeTheTransaction) {
  Add({Text("user", "go")}, TurnPlace::kBegins);
  std::vector<Message> many;
  for (int i = 0; i < 1'000; ++i) {
    many.push_back(CallAs(std::to_string(i), "exec"));
    many.push_back(ToolResult(std::to_string(i), "output " + std::to_string(i)));
  }
  Add(many, TurnPlace::kGoesOn);
  auto prepared = *PrepareClose(Reader(), "c");
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->up_to, 2'001);
  Add({Text("assistant", "done")}, TurnPlace::kGoesOn);
  EXPECT_TRUE(Close("", &*prepared)->digested);
  EXPECT_EQ(FindBlock(rows(), "c", 0)->value().summary, "go — exec x1000 → \"done\"");

  Add({Text("user", "again")}, TurnPlace::kBegins);
  Add(many, TurnPlace::kGoesOn);
  const auto bare = Close("said");
  EXPECT_FALSE(bare->digested) << "without what was read before it is left for later";
  BlockDigest digest = DigestOf(*bare);
  ASSERT_TRUE(ReadOn(Reader(), "c", bare->last, digest));
  ASSERT_TRUE(KeepDigest(rows(), "c", digest));
  EXPECT_EQ(FindBlock(rows(), "c", 1)->value().summary, "again — exec x1000 → \"said\"");
}

TEST_P(Blocks, DigestOfOpenBlockIsNotStored) {
  Add({Text("user", "go"), Text("assistant", "done")}, TurnPlace::kBegins);
  const auto digest = *PrepareClose(Reader(), "c");
  ASSERT_TRUE(digest);
  ASSERT_TRUE(KeepDigest(rows(), "c", *digest));
  EXPECT_FALSE((*FindBlock(rows(), "c", 0))->digested);
}

TEST_P(Blocks, OldConversationIsCutAtUserMessages) {
  ASSERT_TRUE(Append(rows(), "c", {Text("system", "rules"), Text("user", "one"), Call({"1"})}, 5));
  ASSERT_TRUE(
      Append(rows(), "c", {ToolResult("1"), Text("user", "two"), Text("assistant", "x")}, 6));
  EXPECT_TRUE(*IsUncut(rows(), "c"));
  Add({Text("user", "three")}, TurnPlace::kBegins);
  EXPECT_EQ(Shape(), "0:1-4 closed, 1:5-6 closed, 2:7-7 open");
  EXPECT_FALSE(*IsUncut(rows(), "c"));
}

TEST_P(Blocks, CuttingALongConversationIsBounded) {
  std::vector<Message> many;
  for (int i = 0; i < 3'000; ++i) many.push_back(Text("user", std::to_string(i)));
  Together([&] {
    ASSERT_TRUE(Append(rows(), "c", many, 5));
    ASSERT_TRUE(CutIntoBlocks(rows(), "c"));
  });
  const auto blocks = *rows().ListBlocks("c", 0, 10'000);
  ASSERT_EQ(std::ssize(blocks), kMostOldBlocks + 1);
  EXPECT_EQ(blocks[0].first, 1);
  EXPECT_EQ(blocks[0].last, 2'500);
  EXPECT_EQ(blocks.back().last, 3'000);
  EXPECT_EQ(blocks.back().query, "2999");
}

TEST_P(BlocksOnDisk, DamagedFormIsRebuiltAndDamagedBlockSkipped) {
  Add({Text("user", "one")}, TurnPlace::kBegins);
  ASSERT_TRUE(Close());
  ASSERT_TRUE(database().Execute("UPDATE block_forms SET parts = '[[1,2]]'"));
  EXPECT_FALSE(*FindParts(rows(), "c", 0));
  EXPECT_FALSE(database().TakeUnsoundRows().empty());
  ASSERT_TRUE(database().Execute("UPDATE blocks SET summary = 'other'"));
  EXPECT_FALSE(*FindBlock(rows(), "c", 0));
}

TEST_P(Blocks, CatalogueHasNewestClosedBlocksThatFit) {
  for (int i = 0; i < 50; ++i)
    Add({Text("user", "request " + std::to_string(i)), Text("assistant", "done")},
        TurnPlace::kBegins);
  const auto all = *Catalogue(rows(), "c", 0, 100'000);
  ASSERT_EQ(all.size(), 49u) << "the open block is in the transcript";
  EXPECT_EQ(all.front(), "#0: request 0 → \"done\" (~4 tokens)");
  EXPECT_EQ(all.back(), "#48: request 48 → \"done\" (~4 tokens)");
  const size_t line = base::CountCharacters(all.back()) + 1;
  EXPECT_EQ(Catalogue(rows(), "c", 0, 30 * line)->front(), all[19]);
  EXPECT_EQ(Catalogue(rows(), "c", 0, 30 * line - 1)->front(), all[20]);
  EXPECT_TRUE(Catalogue(rows(), "c", 0, line - 1)->empty());
  EXPECT_EQ(Catalogue(rows(), "c", 48, 100'000)->size(), 1u);
  EXPECT_TRUE(Catalogue(rows(), "c", 50, 100'000)->empty());
  EXPECT_TRUE(Catalogue(rows(), "other", 0, 100'000)->empty());
}

TEST_P(Blocks, BlockWithoutFormIsListedByItsQuery) {
  ASSERT_TRUE(
      Append(rows(), "c", {Text("user", "an old\nrequest"), Text("assistant", "a")}, ++now_));
  Add({Text("user", "a new one")}, TurnPlace::kBegins);
  EXPECT_EQ(*Catalogue(rows(), "c", 0, 1'000), std::vector<std::string>{"#0: an old request"});
}

TEST_P(BlocksOnDisk, BlocksAreDeletedWithTheirMessages) {
  Add({Text("user", "one")}, TurnPlace::kBegins);
  Add({Text("user", "two")}, TurnPlace::kBegins);
  ASSERT_TRUE(database().Execute("DELETE FROM messages WHERE sequence = 1"));
  ASSERT_TRUE(RemoveEmptyBlocks(database(), "c"));
  EXPECT_EQ(Shape(), "1:2-2 open");
  ASSERT_TRUE(database().Execute("DELETE FROM messages; DELETE FROM conversations"));
  EXPECT_EQ(Shape(), "");
}

}  // namespace
}  // namespace conversation
