// Facts by category, from English sentences of a user and an assistant.
#include "memory/extract/extract.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memory {
namespace {

// "category: content" of each fact.
std::vector<std::string> FactsIn(std::string_view user, std::string_view assistant = "") {
  std::vector<std::string> facts;
  for (const FactCandidate& fact : ExtractFacts(user, assistant)) {
    EXPECT_GE(fact.importance, 0) << fact.content;
    EXPECT_LE(fact.importance, 1) << fact.content;
    facts.push_back(std::string(NameOf(fact.category)) + ": " + fact.content);
  }
  return facts;
}

size_t PreferencesIn(std::string_view text) {
  size_t count = 0;
  for (const std::string& fact : FactsIn(text)) count += fact.starts_with("user_preference: ");
  return count;
}

struct Said {
  const char *text, *fact;
};

void ExpectEach(const char* category, const std::vector<Said>& all) {
  for (const Said& said : all) {
    EXPECT_EQ(FactsIn(said.text),
              std::vector<std::string>{std::string(category) + ": " + said.fact})
        << said.text;
  }
}

TEST(ExtractFacts, Preferences) {
  ExpectEach(
      "user_preference",
      {{"I prefer tabs over spaces.", "User prefers tabs over spaces."},
       {"i really like dark themes", "User really likes dark themes."},
       {"Hey Mel, I love hiking in the mountains!", "User loves hiking in the mountains."},
       {"I don't like long meetings.", "User doesn't like long meetings."},
       {"I can't stand noisy offices.", "User can't stand noisy offices."},
       {"I'd rather use Rust than C.", "User would rather use Rust than C."},
       {"My favorite editor is Neovim.", "User's favorite editor is Neovim."},
       {"My favorite is chess.", "User's favorite is chess."},
       {"We love old films.", "User and others love old films."},
       {"Chess is my favourite.", "Chess is User's favourite."},
       {"I'm not a big fan of horror films.", "User is not a big fan of horror films."},
       {"I’m allergic to peanuts.", "User is allergic to peanuts."},
       {"Call me Sam.", "User wants to be called Sam."},
       {"I never eat meat.", "User never eats meat."},
       {"I like it when you show the diff first.", "User likes it when you show the diff first."},
       {"Please always run the tests before a commit.",
        "User wants the assistant to always run the tests before a commit."},
       {"From now on, answer in German.", "User wants from now on: answer in German."}});
}

// "I prefer the window seat on flights." was no fact: "the" made it a remark on something shown.
TEST(ExtractFacts, PreferencesWithDeterminers) {
  for (const char* text : {"I prefer the window seat on flights.",
                           "I prefer the aisle seat.",
                           "I prefer a window seat.",
                           "I prefer an aisle seat on trains.",
                           "I prefer my coffee black.",
                           "I prefer the early shift.",
                           "I prefer the dark theme.",
                           "I prefer the metric system.",
                           "I prefer the train over the car.",
                           "I usually prefer the window seat.",
                           "I really prefer the smaller office.",
                           "I'd prefer the vegetarian menu.",
                           "I would prefer the morning flight.",
                           "I'd rather take the bus.",
                           "I'd rather have the corner table.",
                           "I favor the second approach.",
                           "I like the window seat on flights.",
                           "I love the front row at concerts.",
                           "I hate the middle seat on planes.",
                           "I dislike the back row in cinemas.",
                           "I enjoy the quiet in the morning.",
                           "I like the aisle seat best.",
                           "I like the old editor more.",
                           "I love the Beatles.",
                           "I like the Alps in winter.",
                           "I'm a big fan of the Beatles.",
                           "I'm afraid of the dark.",
                           "I'm allergic to the pollen of birches.",
                           "I'm fond of the old town.",
                           "I can't stand the middle seat on flights.",
                           "I don't like the front seat in taxis.",
                           "I prefer the stairs.",
                           "I like a firm mattress.",
                           "I like an early start.",
                           "I love some jazz in the evening.",
                           "I hate every kind of olive.",
                           "I prefer both windows open.",
                           "I prefer any seat near the exit.",
                           "My favorite seat is the window seat.",
                           "I prefer no sugar in my tea."})
    EXPECT_EQ(PreferencesIn(text), 1u) << text;
  for (const char* text : {"I love the color.",
                           "I like the picture.",
                           "I love the view in this photo.",
                           "I like the idea.",
                           "I love the dress on her.",
                           "I hate the noise.",
                           "I like the sound of that.",
                           "I love the way you did it.",
                           "I like the shirt in your picture.",
                           "Do you prefer the window seat?",
                           "She prefers that one.",
                           "I prefer it.",
                           "I prefer that.",
                           "I like this one.",
                           "I love those.",
                           "I love the colors in it.",
                           "I like the design of the logo.",
                           "I enjoy the photos.",
                           "I love your window seat.",
                           "I like the look of the place."})
    EXPECT_EQ(PreferencesIn(text), 0u) << text;
}

TEST(ExtractFacts, Goals) {
  ExpectEach(
      "goal",
      {{"I want to migrate the billing service to Go.",
        "User wants to migrate the billing service to Go."},
       {"I'm planning to learn Rust this year.", "User is planning to learn Rust this year."},
       {"I'm going to visit Rome next month.", "User is going to visit Rome next month."},
       {"I need to finish my thesis by June.", "User needs to finish their thesis by June."},
       {"I'd love to visit Japan.", "User would love to visit Japan."},
       {"I'm learning Japanese.", "User is learning Japanese."},
       {"I need the report by Friday.", "User needs the report by Friday."},
       {"I'm saving up for a house.", "User is saving up for a house."},
       {"My goal is to run a marathon.", "User's goal is to run a marathon."},
       {"Remind me to call mom tomorrow.", "User wants to be reminded to call mom tomorrow."},
       {"I have a dentist appointment on Friday.", "User has a dentist appointment on Friday."},
       {"I've decided to quit smoking.", "User has decided to quit smoking."}});
}

TEST(ExtractFacts, Episodes) {
  ExpectEach("episodic",
             {{"Yesterday I went to a concert with my brother and it was great.",
               "Yesterday User went to a concert with their brother."},
              {"Last week, I finally adopted a dog.", "Last week, User finally adopted a dog."},
              {"I just bought a new car!", "User just bought a new car."},
              {"We visited Lisbon two years ago.", "User and others visited Lisbon two years ago."},
              {"Just got back from a long trip to Peru yesterday.",
               "User just got back from a long trip to Peru yesterday."},
              {"Finally finished my thesis!", "User finally finished their thesis."},
              {"My wife and I moved to Porto last year.",
               "User's wife and they moved to Porto last year."},
              {"I graduated last week.", "User graduated last week."},
              {"I got promoted!", "User got promoted."},
              {"When I was a kid, I moved to Spain with my parents.",
               "When they were a kid, User moved to Spain with their parents."},
              {"My dog died last week.", "User's dog died last week."}});
}

TEST(ExtractFacts, Knowledge) {
  ExpectEach(
      "knowledge",
      {{"My name is Ana.", "User's name is Ana."},
       {"I live in Berlin.", "User lives in Berlin."},
       {"I work at a hospital as a nurse.", "User works at a hospital as a nurse."},
       {"I'm a software engineer in Oslo.", "User is a software engineer in Oslo."},
       {"I have two kids.", "User has two kids."},
       {"I've been playing the piano for ten years.",
        "User has been playing the piano for ten years."},
       {"Been playing the piano for ten years.", "User has been playing the piano for ten years."},
       {"I'm a member of the chess club.", "User is a member of the chess club."},
       {"My sister lives in Paris.", "User's sister lives in Paris."},
       {"We decided to use Postgres for billing.",
        "User and others decided to use Postgres for billing."},
       {"Kubernetes uses etcd for its state.", "Kubernetes uses etcd for its state."},
       {"The API runs on port 8080.", "The API runs on port 8080."},
       {"The deadline is on Friday.", "The deadline is on Friday."},
       {"`orders.db` is stored in `/var/lib`.", "`orders.db` is stored in `/var/lib`."},
       {"Remember that my wife is vegetarian.", "User wants remembered: their wife is vegetarian."},
       {"I'm in Berlin.", "User is in Berlin."},
       {"We are on Node 18.", "User and others are on Node 18."},
       {"Our backend is written in Kotlin.", "User's backend is written in Kotlin."}});
}

TEST(ExtractFacts, Corrections) {
  ExpectEach(
      "correction",
      {{"No, it's Postgres, not MySQL.", "User corrects: it's Postgres, not MySQL."},
       {"Actually, the port is 8081.", "User corrects: the port is 8081."},
       {"That's wrong. The default is 30 seconds.", "User corrects: the default is 30 seconds."},
       {"That's wrong, the timeout is 30 seconds.", "User corrects: the timeout is 30 seconds."},
       {"Actually, I live in Bonn now.", "User corrects: they live in Bonn now."},
       {"I meant the staging cluster, not production.",
        "User meant the staging cluster, not production."},
       {"It should be 60, not 30.", "User corrects: it should be 60, not 30."},
       {"Nope, we use pnpm.", "User corrects: they use pnpm."},
       {"Correction: the meeting is on Tuesday.", "User corrects: the meeting is on Tuesday."}});
}

TEST(ExtractFacts, EachClauseMayStateAFact) {
  EXPECT_EQ(FactsIn("I live in Berlin and I work at a hospital, but I want to move to Porto."),
            (std::vector<std::string>{"knowledge: User lives in Berlin.",
                                      "knowledge: User works at a hospital.",
                                      "goal: User wants to move to Porto."}));
}

TEST(ExtractFacts, AssistantStatesFactsOfItsWorkAndOfThings) {
  EXPECT_EQ(FactsIn("",
                    "I've migrated the database to version 5. I love your idea! The server "
                    "listens on port 7437. I like tea."),
            (std::vector<std::string>{"episodic: Assistant has migrated the database to version 5.",
                                      "knowledge: The server listens on port 7437."}));
  EXPECT_EQ(FactsIn("", "Fixed the login test in `auth.cc`."),
            std::vector<std::string>{"episodic: Assistant fixed the login test in `auth.cc`."});
  EXPECT_EQ(FactsIn("", "We decided to use Postgres for your orders."),
            std::vector<std::string>{
                "knowledge: User and assistant decided to use Postgres for the user's orders."});
  const auto facts = ExtractFacts("I live in Rome.", "I fixed the login test in auth.cc.");
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(facts[0].said_by, Speaker::kUser);
  EXPECT_EQ(facts[1].said_by, Speaker::kAssistant);
}

TEST(ExtractFacts, CertainAndDatedFactsAreMoreImportant) {
  const auto importance = [](const char* text) {
    const auto facts = ExtractFacts(text, "");
    return facts.empty() ? -1 : facts[0].importance;
  };
  EXPECT_GT(importance("I want to visit Rome next month."), importance("I want to visit Rome."));
  EXPECT_LT(importance("I want to visit Rome maybe."), importance("I want to visit Rome."));
  EXPECT_GT(importance("My name is Ana."), importance("I use a laptop."));
}

TEST(ExtractFacts, SameTextGivesSameFacts) {
  const char* text = "I live in Rome. I prefer tea. Yesterday I ran a race with my sister.";
  EXPECT_EQ(FactsIn(text), FactsIn(text));
  EXPECT_EQ(FactsIn(text).size(), 3u);
}

TEST(ExtractFacts, CandidatesOfATurnAreLimited) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "I live in City" + std::to_string(i) + ". ";
  EXPECT_EQ(ExtractFacts(text, text).size(), kMaxCandidates);
}

}  // namespace
}  // namespace memory
