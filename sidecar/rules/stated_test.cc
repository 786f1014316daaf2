// Measures which prompts of the test data state something, and which of them are found. The weights
// are made from the same prompts, so this shows that they fit; scripts/bench/statements.py measures
// prompts that they were not made from.
#include "sidecar/rules/stated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/text/text.h"
#include "sidecar/rules/stated_memory.h"
#include "sidecar/rules/stated_weights.h"
#include "sidecar/sidecar_fixture.h"
#include "sidecar/text/save_advice.h"

namespace sidecar {
namespace {

using base::Json;

// The part before a tab; \n in it ends a line.
std::string PromptOf(std::string line) {
  line.resize(std::min(line.find('\t'), line.size()));
  for (size_t at = 0; (at = line.find("\\n", at)) != std::string::npos;) line.replace(at, 2, "\n");
  return line;
}

std::vector<std::string> LinesOf(const std::string& name) {
  std::ifstream file("sidecar/rules/testdata/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) lines.push_back(PromptOf(line));
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

struct Counts {
  size_t found = 0, stated = 0, kept_ordinary = 0, ordinary = 0;
  std::string wrong;

  bool Finds(size_t percent) const { return found * 100 >= stated * percent; }
  bool KeepsAtMost(size_t percent) const { return kept_ordinary * 100 <= ordinary * percent; }
};

void Count(const std::vector<std::string>& prompts, bool wanted, Counts& counts) {
  (wanted ? counts.stated : counts.ordinary) += prompts.size();
  for (const std::string& prompt : prompts) {
    const auto stated = StatedIn(prompt);
    (wanted ? counts.found : counts.kept_ordinary) += stated.has_value();
    if (stated.has_value() != wanted) counts.wrong += "\n  " + prompt;
  }
}

Counts CountsOf(const std::string& author) {
  Counts counts;
  Count(LinesOf("statements/" + author + "/stated.txt"), true, counts);
  Count(LinesOf("statements/" + author + "/ordinary.txt"), false, counts);
  std::cout << author << ": " << counts.found << "/" << counts.stated << " found, "
            << counts.kept_ordinary << "/" << counts.ordinary << " ordinary ones kept\n";
  return counts;
}

TEST(Stated, FindsWhatPromptsStateAndLittleElse) {
  for (const char* author :
       {"first", "second", "english", "german",        "short",        "sre",         "data",
        "web",   "werk",   "agentur", "systems",       "enterprise",   "mittelstand", "mixed",
        "daily", "forty",  "terse",   "brief-english", "brief-german", "days",        "people"}) {
    const Counts counts = CountsOf(author);
    EXPECT_TRUE(counts.Finds(85)) << counts.wrong;
    EXPECT_TRUE(counts.KeepsAtMost(3)) << counts.wrong;
  }
}

TEST(Stated, RequestsAndReportsOfFaultsStateNothing) {
  Counts counts;
  const auto requests = Requests();
  Count(requests, false, counts);
  EXPECT_LE(counts.kept_ordinary * 100, requests.size() * 2) << counts.wrong;
}

struct KeptCase {
  const char *prompt, *kept;  // "": nothing
};

TEST(Stated, KeepsTheSentencesThatState) {
  const KeptCase cases[] = {
      {"No, next time use pytest. We use pytest here, not unittest.",
       "No, next time use pytest. We use pytest here, not unittest."},
      {"Can you fix the login? The staging database listens on port 5433. And add a test.",
       "The staging database listens on port 5433."},
      {"Look at the loader. It must stay idempotent, because our scheduler starts jobs twice.",
       "Look at the loader. It must stay idempotent, because our scheduler starts jobs twice."},
      {"```\nWe use npm here.\n```\nWe use pnpm here, never npm. Why is that?",
       "We use pnpm here, never npm."},
      {"Mach weiter. Die Testdatenbank läuft bei uns auf Port 5433.",
       "Die Testdatenbank läuft bei uns auf Port 5433."},
      {"```\nWe use npm here.\n```\nWhy?", ""},
      {"Do we use pytest here?", ""},
      {"> We use pytest here.", ""},
      {"Translate into German: \"We always use feature branches and never commit to main.\"", ""},
      {"2024-11-03 02:14:55 ERROR the server only listens on port 1521", ""},
      {"TypeError: we never use x\nwhat now?", ""},
      {"Use a for loop here.", ""},
      {"We need a test for this.", ""},
      {"It still fails.", ""},
      {"What if we always used Kafka?", ""},
      {"", ""},
      {" .!? ", ""},
  };
  for (const KeptCase& c : cases) {
    const auto stated = StatedIn(c.prompt);
    EXPECT_EQ(stated ? stated->words : "", c.kept) << c.prompt;
    EXPECT_TRUE(!stated || !stated->signs.empty()) << c.prompt;
  }
}

TEST(Stated, TheKindComesFromItsWords) {
  const std::pair<const char*, StatedKind> cases[] = {
      {"We decided to keep the public API frozen until June.", StatedKind::kDecision},
      {"Wir haben uns auf Kafka geeinigt, weil wir Nachrichten erneut lesen müssen.",
       StatedKind::kDecision},
      {"I prefer polars over pandas for anything above a million rows.", StatedKind::kPreference},
      {"We never force push to main.", StatedKind::kConvention},
      {"Our staging database listens on port 5433.", StatedKind::kFact},
  };
  for (const auto& [prompt, kind] : cases) {
    const auto stated = StatedIn(prompt);
    ASSERT_TRUE(stated) << prompt;
    EXPECT_EQ(NameOf(stated->kind), NameOf(kind)) << prompt;
  }
}

TEST(Stated, WeightsAreFoundByTheHashOfTheirFeature) {
  EXPECT_EQ(FeatureHash(""), 2'166'136'261);
  EXPECT_EQ(FeatureHash("foobar"), 0xBF9CF968);  // test vector of the authors of FNV
  EXPECT_NE(StatedWeight("#always"), 0);
  EXPECT_EQ(StatedWeight("no such feature"), 0);
}

TEST(Stated, IsAMemoryOfTheUser) {
  const Capture memory = StatedMemory(*StatedIn("We decided that prices are integer cents."));
  EXPECT_EQ(memory.type, "decision");
  EXPECT_EQ(memory.trust, "user");
  EXPECT_EQ(memory.title, "We decided that prices are integer cents.");
  EXPECT_FALSE(memory.topic_key.empty());
}

TEST(Stated, HostileTextsEnd) {
  for (const char* part :
       {"we ", "is is not ", "a, ", "no, ", "(", "'", "We use . ", "\u2019", "\" ", "`"}) {
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
  ASSERT_TRUE(Drained());
  memory_.Down();  // an answer that comes before the hook's would be told in this turn already
  EXPECT_EQ(context(Prompt("We use pnpm, not npm.")), kSavedAlready);
  memory_.Up();
  ASSERT_TRUE(Drained());
  EXPECT_EQ(context(Prompt("Add a test.")), "Saved before: as 1 \"We use pnpm, not npm.\".");
  EXPECT_EQ(context(Prompt("And a second one.")), "");
  EXPECT_LE(kSaveAdvice.size(), size_t{150 * 4});
  With({{"askToSave", true}, {"saveAdvice", "Save little."}});
  EXPECT_EQ(context(Hook("SessionStart", {{"source", "startup"}})), "Save little.");
  With({{"askToSave", true}, {"autoSave", false}});
  EXPECT_EQ(context(Hook("SessionStart", {{"source", "startup"}})), "");
  With({{"saveStatements", true}});
  EXPECT_EQ(context(Prompt("We use yarn, not npm.")), "");
}

TEST_F(StatedTurns, WhatTheModelSavedWhileTheServerWasAwayHasItsIdLater) {
  const auto context = [](const Reply& reply) {
    return base::StringAt(reply.body, {"hookSpecificOutput", "additionalContext"});
  };
  With({{"askToSave", true}});
  EXPECT_EQ(context(Prompt("Why is it slow?")), "");
  ASSERT_TRUE(Drained());
  memory_.Down();
  const Json note = {{"title", "a <cause>"}, {"content", "the pool was empty"}, {"type", "bugfix"}};
  EXPECT_EQ(Ask("POST", "/observations", note).status, 202);
  memory_.Up();
  ASSERT_TRUE(Drained());
  EXPECT_EQ(context(Prompt("Go on.", "another")), "");
  EXPECT_EQ(context(Prompt("Go on.")), "Saved before: as 1 \"a \\u003Ccause\\u003E\".");
  EXPECT_EQ(context(Prompt("And now?")), "");
}

}  // namespace
}  // namespace sidecar
