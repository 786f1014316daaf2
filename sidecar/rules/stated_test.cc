// Measures which prompts of the test data state something, and which of them are found. The files
// with _kept were written when the tables were done, to see what other words give.
#include "sidecar/rules/stated.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iostream>

#include "lib/base/text/text.h"
#include "sidecar/sidecar_fixture.h"
#include "sidecar/text/save_advice.h"

namespace sidecar {
namespace {

using base::Json;

std::vector<std::string> LinesOf(const std::string& name) {
  std::ifstream file("sidecar/rules/testdata/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) lines.push_back(line);
  EXPECT_GT(lines.size(), 50u) << name;
  return lines;
}

// What people ask an agent all day, each verb with each object.
std::vector<std::string> Requests() {
  std::vector<std::string> prompts;
  for (const char* verb : {"Add",
                           "Remove",
                           "Rename",
                           "Refactor",
                           "Document",
                           "Test",
                           "Explain",
                           "Can you fix",
                           "Could you simplify",
                           "Please update",
                           "I want to change",
                           "I need",
                           "We need to rework",
                           "We should move",
                           "Let's look at",
                           "Where is",
                           "What does it take to replace",
                           "Now show me",
                           "How do I call",
                           "Why do we need"})
    for (const char* what : {"the login form",
                             "the retry in client.py",
                             "the column email",
                             "the cache of /users",
                             "the test of parse_date",
                             "the Dockerfile",
                             "a button for the export",
                             "the 3 flaky tests",
                             "the log level of staging",
                             "the API key in the header",
                             "the date picker",
                             "the query in orders.sql",
                             "the timeout of 30 seconds",
                             "the README",
                             "the index on Monday's table",
                             "the React component Cart",
                             "the port 8080",
                             "the class Invoice",
                             "the German texts",
                             "the nightly job"})
      prompts.push_back(std::string(verb) + " " + what + ".");
  for (const char* what : {"The login form", "The retry in client.py", "The deploy to staging",
                           "The test of parse_date", "The Docker build", "The date picker",
                           "The query in orders.sql", "The import of March", "The React component",
                           "The nightly job", "The endpoint /users", "The CI pipeline"})
    for (const char* how :
         {"fails with an error.", "is broken since yesterday.", "returns null.", "hangs.",
          "crashes on Safari.", "takes too long, find out why.", "throws a TypeError.",
          "doesn't work.", "is still red.", "shows nothing.", "has a bug.", "is wrong.",
          "looks weird on mobile.", "answers 500.", "is empty."})
      prompts.push_back(std::string(what) + " " + how);
  return prompts;
}

size_t Found(const std::vector<std::string>& prompts, bool wanted, std::string& others) {
  size_t found = 0;
  for (const std::string& prompt : prompts) {
    const auto stated = StatedIn(prompt);
    found += stated.has_value();
    if (stated.has_value() != wanted)
      others += "\n  " + prompt + (stated ? " [" + std::string(stated->form) + "]" : "");
  }
  return found;
}

TEST(Stated, FindsWhatPromptsStateAndLittleElse) {
  std::string missed, wrong;
  const auto facts = LinesOf("stated.txt"), kept = LinesOf("stated_kept.txt");
  const auto ordinary = LinesOf("ordinary.txt"), kept_ordinary = LinesOf("ordinary_kept.txt");
  const size_t right = Found(facts, true, missed), right_kept = Found(kept, true, missed);
  const size_t false_ones = Found(ordinary, false, wrong);
  const size_t false_kept = Found(kept_ordinary, false, wrong);
  const auto requests = Requests();
  const size_t false_requests = Found(requests, false, wrong);
  std::cout << "facts " << right << "/" << facts.size() << ", kept " << right_kept << "/"
            << kept.size() << "; of ordinary prompts " << false_ones << "/" << ordinary.size()
            << ", kept " << false_kept << "/" << kept_ordinary.size() << ", requests "
            << false_requests << "/" << requests.size() << "\n";
  EXPECT_GE((right + right_kept) * 10, (facts.size() + kept.size()) * 9) << missed;
  const size_t all = right + right_kept + false_ones + false_kept + false_requests;
  EXPECT_GE((right + right_kept) * 100, all * 95) << wrong;
}

TEST(Stated, TheWholeOfAShortPromptIsKept) {
  const auto stated = StatedIn("No, next time use pytest. We use pytest here, not unittest.");
  ASSERT_TRUE(stated);
  EXPECT_EQ(stated->words, "No, next time use pytest. We use pytest here, not unittest.");
  const std::string code = "```\nWe use npm here.\n```\n";
  EXPECT_FALSE(StatedIn(code + "Why?"));
  const auto around = StatedIn(code + "We use pnpm here. Why is that?");
  ASSERT_TRUE(around);
  EXPECT_EQ(around->words, "We use pnpm here.");
  EXPECT_FALSE(StatedIn("Do we use pytest here?"));
  EXPECT_FALSE(StatedIn("> We use pytest here."));
  EXPECT_FALSE(StatedIn(""));
  EXPECT_FALSE(StatedIn(" .!? "));
}

TEST(Stated, IsAMemoryOfTheUser) {
  const Capture memory = StatedMemory(*StatedIn("We decided that prices are integer cents."));
  EXPECT_EQ(memory.type, "decision");
  EXPECT_EQ(memory.trust, "user");
  EXPECT_EQ(memory.title, "We decided that prices are integer cents.");
  EXPECT_FALSE(memory.topic_key.empty());
}

TEST(Stated, HostileTextsEnd) {
  for (const char* part : {"we ", "is is not ", "a, ", "no, ", "(", "'", "We use . ", "\u2019"}) {
    std::string text;
    while (text.size() < 100'000) text += part;
    StatedIn(text);
  }
}

class StatedTurns : public SidecarTest {
 protected:
  void With(const Json& memory) {
    directory_.Write("policy.json", PolicyText(memory_.url(), {{"memory", memory}}));
    Start();
  }
};

TEST_F(StatedTurns, APromptIsSavedOnceAsRememberedElseAsStated) {
  With({{"saveStatements", true}, {"rememberPrompts", true}});
  Prompt("Remember: we use pytest here, not unittest");
  Prompt("We use pnpm, not npm.");
  Prompt("Add a test.");
  Prompt("<task-notification>We use yarn, not npm.</task-notification>");
  ASSERT_TRUE(memory_.WaitForObservations(2));
  ASSERT_TRUE(Drained());
  const auto rows = memory_.With([](StubMemory& stub) { return stub.observations; });
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["source"]["rule"], "remember");
  EXPECT_EQ(rows[1]["source"]["rule"], "stated");
  EXPECT_EQ(rows[1]["source"]["origin"], "user");
  EXPECT_EQ(rows[1]["content"], "We use pnpm, not npm.");
}

TEST_F(StatedTurns, TheModelIsAskedToSaveAndToldWhatIsSaved) {
  const auto context = [](const Reply& reply) {
    return base::StringAt(reply.body, {"hookSpecificOutput", "additionalContext"});
  };
  With({{"saveStatements", true}, {"askToSave", true}});
  EXPECT_EQ(context(Hook("SessionStart", {{"source", "startup"}})), kSaveAdvice);
  EXPECT_EQ(context(Prompt("We use pnpm, not npm.")), kSavedAlready);
  EXPECT_EQ(context(Prompt("Add a test.")), "");
  EXPECT_LE(kSaveAdvice.size(), size_t{150 * 4});
  With({{"askToSave", true}, {"autoSave", false}});
  EXPECT_EQ(context(Hook("SessionStart", {{"source", "startup"}})), "");
  With({{"saveStatements", true}});
  EXPECT_EQ(context(Prompt("We use yarn, not npm.")), "");
}

}  // namespace
}  // namespace sidecar
