// Shows that conversations keep their messages in order over a re-opened file, and that trimming to
// a token budget leaves no tool result without its call.
#include "lib/conversation/conversations.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <random>
#include <set>

#include "lib/base/limits/byte_budget.h"
#include "lib/base/text/text.h"
#include "lib/conversation/message_fixture.h"
#include "lib/conversation/rows_fixture.h"

namespace conversation {
namespace {

using base::Json;

constexpr int64_t kEnd = INT64_MAX;

class Conversations : public RowsTest {
 protected:
  // The number of pages that `work` reads, cached or not.
  template <class F>
  int64_t PagesOf(F work) {
    const auto count = [&] {
      int hits = 0, misses = 0, unused = 0;
      sqlite3_db_status(database().handle(), SQLITE_DBSTATUS_CACHE_HIT, &hits, &unused, 0);
      sqlite3_db_status(database().handle(), SQLITE_DBSTATUS_CACHE_MISS, &misses, &unused, 0);
      return int64_t{hits} + misses;
    };
    const int64_t before = count();
    work();
    return count() - before;
  }
  // A conversation of 14,000 messages of 2 KB, 28 MB.
  void MakeLong() {
    std::vector<Message> all(kLong, Text("user", std::string(2'000, 'x')));
    all[0].role = "system";
    Together([&] { ASSERT_TRUE(Append(rows(), "long", all, 1)); });
  }
  static constexpr size_t kLong = 14'000;
};
INSTANTIATE_TEST_SUITE_P(Rows, Conversations, kBothEngines, EngineName);
class ConversationsOnDisk : public Conversations {};
INSTANTIATE_TEST_SUITE_P(Rows, ConversationsOnDisk, testing::Values(Engine::kSqlite), EngineName);

TEST_P(Conversations, MessagesSurviveReopening) {
  const std::string odd = "line\n\ttab \x01 日本語 🚀";
  ASSERT_EQ(*Append(rows(), "c", {Text("user", odd), Call({"t1"})}, 10), 2);
  ASSERT_EQ(*Append(rows(), "c", {ToolResult("t1")}, 11), 3);
  Reopen();
  const auto page = MessagesBetween(rows(), "c", 1, kEnd);
  ASSERT_TRUE(page);
  const auto& messages = page->messages;
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[0].content, odd);
  EXPECT_EQ(messages[1].tool_calls[0]["id"], "t1");
  EXPECT_EQ(messages[2].tool_call_id, "t1");
  EXPECT_EQ(messages[2].sequence, 3);
  auto found = rows().FindConversation("c");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->message_count, 3);
}

TEST_P(ConversationsOnDisk, PageOfLongConversationCostsOnlyThePage) {
  MakeLong();
  const int64_t last = kLong;
  const int64_t pages = PagesOf([&] {
    const auto page = MessagesBetween(rows(), "long", last - 49, last);
    ASSERT_TRUE(page);
    EXPECT_EQ(page->messages.size(), 50u);
    EXPECT_EQ(page->more, 0);
  });
  const int64_t cut = PagesOf([&] {
    const auto page = MessagesBetween(rows(), "long", 1, kEnd, {.bytes = 64 << 10});
    ASSERT_TRUE(page);
    EXPECT_LT(page->messages.size(), 33u);
    EXPECT_EQ(page->more, std::ssize(page->messages) + 1);
  });
  const int64_t newest = PagesOf([&] {
    const auto page = NewestMessages(rows(), "long", 20'000);
    ASSERT_TRUE(page);
    EXPECT_EQ(page->messages.size(), 29u) << "one of them the system message";
  });
  const int64_t whole = PagesOf([&] { ASSERT_TRUE(MessagesBetween(rows(), "long", 1, kEnd)); });
  for (const int64_t cost : {pages, cut, newest}) EXPECT_LT(cost * 20, whole);
}

// A page of {"1":0,…} is many times larger in memory than as text.
TEST_P(Conversations, CallsEndAPageByTheirMemory) {
  Message call = Text("assistant", "");
  Json arguments = Json::object();
  for (int i = 0; i < 1'000; ++i) arguments[std::to_string(i)] = 0;
  call.tool_calls = Json::array({{{"id", "t"}, {"arguments", arguments}}});
  const std::vector<Message> all(20, call);
  ASSERT_TRUE(Append(rows(), "c", all, 1));
  const size_t text = base::DumpJson(EncodeMessage(call)).size();
  const auto page = MessagesBetween(rows(), "c", 1, kEnd, {.bytes = 20 * text});
  ASSERT_TRUE(page);
  EXPECT_NE(page->more, 0);
  EXPECT_LT(page->messages.size(), 5u);
}

TEST_P(Conversations, RangeWithoutMemoryForCallsIsAnError) {
  Message call = Text("assistant", "");
  call.tool_calls = Json::array({{{"id", "t"}, {"arguments", std::vector<int>(100'000, 0)}}});
  ASSERT_TRUE(Append(rows(), "c", {call}, 1));
  base::ByteBudget small(1 << 20);
  base::ByteCharge charge(&small);
  const base::ChargeScope scope(&charge);
  for (const auto& page :
       {MessagesBetween(rows(), "c", 1, kEnd), NewestMessages(rows(), "c", 1'000'000)}) {
    ASSERT_FALSE(page);
    EXPECT_NE(page.error().message.find("memory-budget"), std::string::npos);
  }
}

TEST_P(Conversations, PagesMissNothing) {
  std::vector<Message> all;
  for (int i = 0; i < 40; ++i) all.push_back(Text("user", std::string(i % 3 == 0 ? 900 : 9, '"')));
  ASSERT_TRUE(Append(rows(), "c", all, 1));
  int64_t from = 1, seen = 0;
  while (from != 0) {
    const auto page = MessagesBetween(rows(), "c", from, kEnd, {.messages = 7, .bytes = 2'000});
    ASSERT_TRUE(page);
    ASSERT_LE(page->messages.size(), 7u);
    for (const Message& message : page->messages) {
      EXPECT_EQ(message.sequence, ++seen);
      EXPECT_GE(EncodedBytes(message), base::DumpJson(EncodeMessage(message)).size());
    }
    from = page->more;
  }
  EXPECT_EQ(seen, 40);
  EXPECT_EQ(MessagesBetween(rows(), "c", 1, kEnd, {.bytes = 1})->messages.size(), 1u) << "whole";
  const auto newest = NewestMessages(rows(), "c", 1'000'000, 2'500);
  EXPECT_GT(newest->more, 30);
  EXPECT_EQ(newest->messages.front().sequence, newest->more + 1);
}

TEST_P(Conversations, ListPagesEndAtTheirBytes) {
  for (int i = 0; i < 9; ++i) {
    const std::string id = "c" + std::to_string(i);
    ASSERT_TRUE(Append(rows(), id, {Text("user", "x")}, 1));
    ASSERT_TRUE(
        rows().UpdateConversation(id, {.fields = Json{{"note", std::string(100'000, 'x')}}}));
  }
  std::set<std::string> seen;
  ListPage next{.limit = 1'000, .bytes = 350'000};
  do {
    const auto page = rows().ListConversations("", next);
    ASSERT_TRUE(page);
    EXPECT_EQ(page->conversations.size(), 3u);
    for (const auto& one : page->conversations) EXPECT_TRUE(seen.insert(one.id).second);
    next.behind = page->more;
  } while (next.behind != 0);
  EXPECT_EQ(seen.size(), 9u);
}

TEST_P(Conversations, CurrentIsLastUsedDespiteClockChange) {
  ASSERT_TRUE(Append(rows(), "a", {Text("user", "1")}, 1000));
  ASSERT_TRUE(Append(rows(), "b", {Text("user", "1")}, 500));
  EXPECT_EQ((**rows().LastUsed("open", "")).id, "b");
  ASSERT_TRUE(Append(rows(), "a", {Text("user", "2")}, 100));
  EXPECT_EQ((**rows().LastUsed("open", "")).id, "a");
  ASSERT_TRUE(rows().UpdateConversation("a", {.state = "ended"}));
  EXPECT_EQ((**rows().LastUsed("open", "")).id, "b");
  EXPECT_EQ(rows().ListConversations("open", {})->conversations.size(), 1u);
  EXPECT_EQ(rows().ListConversations("ended", {})->conversations.size(), 1u);
  EXPECT_EQ(rows().ListConversations("", {})->conversations.size(), 2u);
}

TEST_P(Conversations, TurnsAreCountedAndFieldsKept) {
  ASSERT_TRUE(GetOrCreate(rows(), "c", 1));
  ASSERT_TRUE(rows().UpdateConversation("c", {.turn = 2}));
  ASSERT_TRUE(rows().UpdateConversation("c", {.fields = Json{{"tool_meta", {{"t1", "{}"}}}}}));
  ASSERT_TRUE(rows().UpdateConversation("c", {.memory_session_id = "m1"}));
  Reopen();
  auto conversation = **rows().FindConversation("c");
  EXPECT_EQ(conversation.turn, 2);
  EXPECT_EQ(conversation.memory_session_id, "m1");
  EXPECT_EQ(conversation.fields["tool_meta"]["t1"], "{}");
  EXPECT_FALSE(rows().UpdateConversation("none", {.turn = 3}));
}

class Trim : public Conversations {
 protected:
  // Appends the messages to a new conversation and reads those that fit `max_tokens`.
  std::vector<Message> Stay(const std::vector<Message>& all, int64_t max_tokens) {
    const std::string id = "c" + std::to_string(++made_);
    Together([&] { EXPECT_TRUE(Append(rows(), id, all, 1)); });
    auto stay = NewestMessages(rows(), id, max_tokens);
    EXPECT_TRUE(stay) << stay.error().message;
    return stay.value_or(MessagePage()).messages;
  }
  int made_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Rows, Trim, kBothEngines, EngineName);
class TrimOnDisk : public Trim {};
INSTANTIATE_TEST_SUITE_P(Rows, TrimOnDisk, testing::Values(Engine::kSqlite), EngineName);

TEST_P(Trim, KeepsNewestAndSystemMessages) {
  const std::vector<Message> all = {Text("system", "rules"), Text("user", std::string(300, 'a')),
                                    Text("assistant", std::string(300, 'b')), Text("user", "last")};
  auto stay = Stay(all, 110);
  ASSERT_EQ(stay.size(), 3u);
  EXPECT_EQ(stay[0].role, "system");
  EXPECT_EQ(stay[1].role, "assistant");
  EXPECT_EQ(stay[2].content, "last");
  EXPECT_EQ(Stay(all, 100'000).size(), 4u);
  EXPECT_EQ(Stay(all, 1).size(), 1u) << "the system message alone is over it";
}

TEST_P(Trim, ToolResultIsDroppedWithItsCall) {
  const std::vector<Message> all = {Text("user", "go"), Call({"t1", "t2"}), ToolResult("t1"),
                                    ToolResult("t2"), Text("assistant", "done")};
  for (int64_t budget = 1; budget < 60; ++budget) {
    auto stay = Stay(all, budget);
    bool call = false;
    for (const Message& message : stay) {
      if (!message.tool_calls.is_null()) call = true;
      EXPECT_TRUE(message.role != "tool" || call) << "budget " << budget;
    }
  }
}

TEST_P(Trim, ResultWithoutAnyCallStays) {
  EXPECT_EQ(Stay({Text("user", std::string(300, 'a')), Call({"t0"}), ToolResult("t1")}, 10).size(),
            1u);
}

// A simple model of NewestMessages, over all messages in memory.
std::vector<int64_t> Expected(const std::vector<Message>& all, int64_t budget) {
  for (const Message& message : all) {
    if (message.role == "system") budget -= Tokens(message);
  }
  size_t first = all.size();
  for (bool fits = true; fits && first > 0;) {
    if (all[first - 1].role != "system") budget -= Tokens(all[first - 1]);
    fits = budget >= 0 || all[first - 1].role == "system";
    if (fits) --first;
  }
  std::set<std::string> calls[2];  // left out, kept
  for (size_t i = 0; i < all.size(); ++i) calls[i >= first].merge(CallIds(all[i].tool_calls));
  std::vector<int64_t> stay;
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string& call = all[i].tool_call_id;
    const bool orphan =
        all[i].role == "tool" && calls[0].contains(call) && !calls[1].contains(call);
    if (all[i].role == "system" || (i >= first && !orphan)) {
      stay.push_back(static_cast<int64_t>(i) + 1);
    }
  }
  return stay;
}

TEST_P(Trim, RandomConversationsNeverKeepAnOrphan) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::vector<Message> all;
    if (random() % 2) all.push_back(Text("system", "rules"));
    for (int i = 0; i < 12; ++i) {
      const std::string id = "t" + std::to_string(i);
      all.push_back(Text(random() % 9 ? "user" : "system", std::string(random() % 60, 'x')));
      if (random() % 9) all.push_back(Call({id, id + "b"}));
      all.push_back(ToolResult(id, std::string(random() % 90, 'y')));
      all.push_back(ToolResult(id + "b"));
    }
    const auto budget = static_cast<int64_t>(random() % 500 + 1);
    auto stay = Stay(all, budget);
    std::vector<int64_t> sequences;
    for (const Message& message : stay) sequences.push_back(message.sequence);
    ASSERT_EQ(sequences, Expected(all, budget)) << "budget " << budget;
  }
}

TEST_P(TrimOnDisk, LongConversationIsNotReadWhole) {
  constexpr int64_t kMebibytes = 96;
  for (int64_t i = 0; i < kMebibytes; ++i) {
    ASSERT_TRUE(Append(rows(), "long", {Text("user", std::string(1 << 20, 'x')), Call({"t"})}, 1));
  }
  ASSERT_TRUE(Append(rows(), "long", {ToolResult("t")}, 1));
  rusage before{}, after{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &before), 0);
  const auto stay = NewestMessages(rows(), "long", 1000);
  ASSERT_EQ(getrusage(RUSAGE_SELF, &after), 0);
  ASSERT_TRUE(stay);
  EXPECT_EQ(stay->messages.size(), 2u);
  EXPECT_LT((after.ru_maxrss - before.ru_maxrss) / 1024, kMebibytes / 4);
}

}  // namespace
}  // namespace conversation
