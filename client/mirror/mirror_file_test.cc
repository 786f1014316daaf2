// A memory goes into a file and comes back as it was, however it is written; and what people write.
#include "client/mirror/mirror_file.h"

#include <gtest/gtest.h>

#include <random>

namespace client {
namespace {

using base::Json;

Json Row(const std::string& title, const std::string& content) {
  return {{"id", 7},
          {"type", "note"},
          {"title", title},
          {"content", content},
          {"tags", {"a", "b"}},
          {"updated_at", "2026-11-28T10:00:00Z"}};
}

TEST(MirrorFile, LooksAsPeopleWriteNotes) {
  EXPECT_EQ(MirrorFileOf(Row("Use pytest", "Not unittest.\n\n- fixtures"), ""),
            "---\nid: 7\ntype: \"note\"\ntitle: \"Use pytest\"\ntags: [\"a\", \"b\"]\n"
            "updated: 2026-11-28T10:00:00Z\n---\n\nNot unittest.\n\n- fixtures\n");
}

TEST(MirrorFile, AnyMemoryComesBackAsItWas) {
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  static const char* const kParts[] = {
      "---",          "\n",           "\n---\n", "\"",   "'",    ": ",       "# ",
      "- ",           "\\",           "\t",      "\x01", "\x7F", "\xC2\x85", "\xEF\xBB\xBF",
      "\xE2\x80\xA8", "\xEF\xBF\xBF", "ü",       "😀",    "{{",   "\r\n",     "%",
      "id: 9",        "...",          "x",       " "};
  for (int i = 0; i < 3'000; ++i) {
    std::string texts[3];
    for (std::string& text : texts) {
      for (size_t parts = random() % 8; parts > 0; --parts)
        text += kParts[random() % std::size(kParts)];
      text += "x";
    }
    Json row = Row(texts[0], texts[1]);
    row["tags"] = {texts[2]};
    row["type"] = texts[2];
    const auto file = ReadMirrorFile(MirrorFileOf(row, ""));
    ASSERT_TRUE(file) << "seed " << seed << ": " << row << file.error().message;
    EXPECT_TRUE(SaysTheSame(*file, row)) << "seed " << seed << ": " << row;
    EXPECT_EQ(ChangeByFile(*file, row), Json::object()) << "seed " << seed;
    EXPECT_EQ(file->id, "7");
  }
}

TEST(MirrorFile, WhatPeopleWriteIsTaken) {
  struct Case {
    const char *text, *title, *type, *content;
    std::vector<std::string> tags;
  };
  for (const Case& one :
       {Case{"Deploy on Tuesdays", "Deploy on Tuesdays", "note", "Deploy on Tuesdays", {}},
        {"# Deploys\n\nOn Tuesdays.\n", "Deploys", "note", "# Deploys\n\nOn Tuesdays.", {}},
        {"---\r\ntitle: 42\r\ntags: a, b\r\n---\r\ntext", "42", "note", "text", {"a", "b"}},
        {"\xEF\xBB\xBF---\ntype: decision\ntags:\n  - x\n  - 7\n---\n\ntext\n",
         "text",
         "decision",
         "text",
         {"x", "7"}},
        {"---\n---\ntext", "text", "note", "text", {}},
        {"---\nno end\n", "---", "note", "---\nno end", {}},
        {"---\njust text\n---\nmore", "---", "note", "---\njust text\n---\nmore", {}}}) {
    const auto file = ReadMirrorFile(one.text);
    ASSERT_TRUE(file) << one.text << file.error().message;
    const Json row = RowOfFile(*file);
    EXPECT_EQ(row["title"], one.title) << one.text;
    EXPECT_EQ(row["type"], one.type) << one.text;
    EXPECT_EQ(row["content"], one.content) << one.text;
    EXPECT_EQ(row["tags"], Json(one.tags)) << one.text;
  }
  for (const char* wrong : {"---\ntitle: a: b: c\n---\nx", "---\ntitle: [a]\n---\nx",
                            "---\ntags: {a: b}\n---\nx", "---\ntags: [[a]]\n---\nx"}) {
    const auto file = ReadMirrorFile(wrong);
    ASSERT_FALSE(file) << wrong;
    EXPECT_NE(file.error().message.find("front matter"), std::string::npos);
  }
}

TEST(MirrorFile, AChangeHasOnlyWhatDiffersAndRenewsAMadeTitle) {
  Json row = Row("Deploy on Tuesdays", "Deploy on Tuesdays\nat ten");
  MirrorText file = *ReadMirrorFile(MirrorFileOf(row, ""));
  file.content = "Deploy on Mondays\nat ten";
  EXPECT_EQ(ChangeByFile(file, row),
            (Json{{"content", file.content}, {"title", "Deploy on Mondays"}}));
  row["title"] = file.title = "When";
  EXPECT_EQ(ChangeByFile(file, row), (Json{{"content", file.content}}));
  file.tags = {"b"};
  file.type = "decision";
  EXPECT_EQ(ChangeByFile(file, row),
            (Json{{"content", file.content}, {"type", "decision"}, {"tags", {"b"}}}));
}

TEST(MirrorFile, NamesAreSafeAndThoseOfConflictsAreLeftAlone) {
  EXPECT_EQ(MirrorName("../../etc/passwd", 1), "etc-passwd.md");
  EXPECT_EQ(MirrorName("Prüfe: A/B?", 2), "pr-fe-a-b-2.md");
  EXPECT_EQ(MirrorName("日本", 1), "memory.md");
  EXPECT_LT(MirrorName(std::string(900, 'x'), 1).size(), 70U);
  EXPECT_EQ(ConflictName("a.md", 1), "a.conflict.md");
  EXPECT_EQ(ConflictName("a.md", 3), "a.conflict-3.md");
  for (const char* other : {".a.md", "a.txt", "a.conflict.md", "a.conflict-3.md", "a"})
    EXPECT_FALSE(IsMirrorName(other)) << other;
  EXPECT_TRUE(IsMirrorName(MirrorName("a.conflict", 1)));
}

}  // namespace
}  // namespace client
