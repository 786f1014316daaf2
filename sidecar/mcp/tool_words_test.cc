// Shows that topic keys are short and stable.
#include "sidecar/mcp/tool_words.h"

#include <gtest/gtest.h>

#include "lib/base/text/text.h"

namespace sidecar {
namespace {

TEST(McpToolWords, ATopicKeyIsShortAndTheSameForTheSameTitle) {
  EXPECT_EQ(TopicKeyFor("architecture", "Use WAL mode (SQLite)!"),
            "architecture/use-wal-mode-sqlite");
  EXPECT_EQ(TopicKeyFor("Decision", "  use   wal-mode: SQLITE "), "decision/use-wal-mode-sqlite");
  EXPECT_EQ(TopicKeyFor("bugfix", "Café zürich"), "bugfix/cafe-zurich");
  EXPECT_EQ(TopicKeyFor("bugfix", "数据库 锁"), "bugfix/数据库-锁");
  EXPECT_EQ(TopicKeyFor("bugfix", "a\u202Eb\u200B"), "bugfix/a-b");
  EXPECT_FALSE(TopicKeyFor("", "!!!").ends_with("/"));
  for (const char* word : {"word ", "数", "é"}) {
    std::string title;
    for (int i = 0; i < 100; ++i) title += word;
    const std::string key = TopicKeyFor("learning", title);
    EXPECT_LE(key.size(), 60u);
    EXPECT_GT(key.size(), 30u);
    EXPECT_TRUE(base::IsUtf8(key));
    EXPECT_FALSE(key.ends_with("-"));
  }
}

}  // namespace
}  // namespace sidecar
