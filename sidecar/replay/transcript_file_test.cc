// Shows that no form of a file ends an import, and that a line that gives nothing is told.
#include "sidecar/replay/transcript_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "lib/testing/temporary_directory.h"
#include "sidecar/replay/replay_plan.h"

namespace sidecar {
namespace {

constexpr const char* kPrompt = R"({"type":"user","message":{"content":"a"}})";

struct Read {
  size_t events = 0;
  std::vector<int64_t> broken;
};

Read ReadAll(const std::string& text, LineIds* seen = nullptr) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder.path() + "/t.jsonl";
  std::ofstream(path, std::ios::binary) << text;
  Read read;
  auto file = TranscriptFile::Open(
      path, "claude-code",
      {[&](const BrokenLine& line) { read.broken.push_back(line.line); }, seen});
  EXPECT_TRUE(file);
  for (; file && file->Peek() != nullptr; ++read.events) file->Pop();
  return read;
}

TEST(TranscriptFile, UnreadableLinesAreReported) {
  const std::string line = kPrompt;
  const struct {
    std::string text;
    size_t events;
    std::vector<int64_t> broken;
  } table[] = {{"", 0, {}},
               {"\n\n", 0, {}},
               {line, 1, {}},
               {line + "\n", 1, {}},
               {line + "\r\n" + line + "\r\n", 2, {}},
               {line + "\n{\n" + line, 2, {2}},
               {line + "\n" + line.substr(0, 20), 1, {2}},
               {"[]\n7\n" + line, 1, {1, 2}},
               {std::string(300'000, 'x') + "\n" + line, 1, {1}},
               {std::string("\0\n", 2) + line, 1, {1}},
               {"\xEF\xBB\xBF" + line, 1, {}},
               {R"({"type":"user","message":{"content":"\ud83d \u0000"}})", 1, {}}};
  for (const auto& one : table) {
    const Read read = ReadAll(one.text);
    EXPECT_EQ(read.events, one.events) << one.text.substr(0, 80);
    EXPECT_EQ(read.broken, one.broken) << one.text.substr(0, 80);
  }
}

TEST(TranscriptFile, HugeLineIsNotHeldInMemory) {
  const Read read =
      ReadAll(std::string(LineFile::kMostLineBytes + (1 << 20), 'x') + "\n" + kPrompt + "\n");
  EXPECT_EQ(read.events, 1u);
  EXPECT_EQ(read.broken, std::vector<int64_t>{1});
}

TEST(TranscriptFile, LineWithKnownIdIsACopy) {
  const std::string line = R"({"type":"user","uuid":"u1","message":{"content":"a"}})";
  LineIds seen;
  EXPECT_EQ(ReadAll(line + "\n" + line + "\n" + kPrompt, &seen).events, 2u);
  EXPECT_EQ(ReadAll(line, &seen).events, 0u);
}

TEST(ReplayPlan, InvalidPlanIsNamed) {
  const std::string good =
      R"({"projects":[{"policy":{"version":1}}],"sessions":[{"project":0,"id":"a","format":"codex","files":["/x"]}]})";
  ASSERT_TRUE(DecodeReplayPlan(good)) << DecodeReplayPlan(good).error().message;
  const std::pair<const char*, const char*> table[] = {
      {"[]", "object"},
      {R"({"sessions":[]})", "projects"},
      {R"({"projects":[{"policy":7}],"sessions":[]})", "policy"},
      {R"({"projects":[{"policy":{"version":1,"memory":{"contextLimt":1}}}],"sessions":[]})",
       "contextLimt"},
      {R"({"projects":[],"sessions":[{"project":0,"id":"a","format":"codex"}]})", "project"},
      {R"({"projects":[{"policy":{"version":1}}],"sessions":[{"project":0,"id":"a","format":"x"}]})",
       "format"},
      {R"({"projects":[],"sessions":[],"since":"x"})", "since"}};
  for (const auto& [text, word] : table) {
    const auto plan = DecodeReplayPlan(text);
    ASSERT_FALSE(plan) << text;
    EXPECT_NE(plan.error().message.find(word), std::string::npos) << plan.error().message;
  }
}

}  // namespace
}  // namespace sidecar
