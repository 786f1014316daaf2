// Shows prompts that ask for a memory, and similar prompts that do not.
#include "sidecar/rules/remember.h"

#include <gtest/gtest.h>

#include "lib/api/memory_api.h"
#include "lib/base/text/text.h"
#include "sidecar/sidecar_fixture.h"
#include "sidecar/turn/turn_draft.h"

namespace sidecar {
namespace {

TEST(Remember, TheBeginningOfAPromptAsks) {
  const std::pair<const char*, const char*> asked[] = {
      {"Remember: I prefer tabs", "I prefer tabs"},
      {"  remember that we deploy on Tuesdays.", "we deploy on Tuesdays."},
      {"Please remember: use pnpm\n\nalso in CI", "use pnpm\n\nalso in CI"},
      {"please, remember that: x is y", "x is y"},
      {"REMEMBER :tabs", "tabs"},
      {"Don't forget that the API is frozen", "the API is frozen"},
      {"Don\u2019t forget: 日本", "日本"},
      {"Remember: a\nb\n \nc", "a\nb\n \nc"},
      {"Remember:\n- one\n- two", "- one\n- two"},
      {"remember: is it \"who\" or \"whom\"?", "is it \"who\" or \"whom\"?"},
      {"Remember to run the linter before a commit.", "run the linter before a commit."},
      {"Hey, remember that staging is slow", "staging is slow"},
      {"don't forget to run the tests", "run the tests"},
      {"ok, please remember we use pnpm", "we use pnpm"},
      {"Remember, always run the linter", "always run the linter"},
      {"Remember never to push to main", "never to push to main"},
      {"Remember this: codes ignore case", "codes ignore case"},
      {"Remember for next time: use pytest", "use pytest"},
      {"Keep in mind that prices are cents", "prices are cents"},
      {"By the way, keep in mind: prices are cents", "prices are cents"},
      {"Make a note that Ann owns billing", "Ann owns billing"},
      {"Save this to memory: Ann owns billing", "Ann owns billing"},
      {"Note to self \u2014 rotate the key", "rotate the key"},
      {"Can you remember that we use pnpm?", "we use pnpm"},
      {"Could you please remember to use tabs", "use tabs"},
      {"I want you to remember that we use tabs", "we use tabs"},
      {"Remember\nwe use tabs", "we use tabs"},
      {"From now on, write commit messages in the imperative.",
       "From now on, write commit messages in the imperative."},
      {"From now on use pnpm", "From now on use pnpm"},
      {"Merke dir: Produktion läuft in eu-central-2", "Produktion läuft in eu-central-2"},
      {"Merk dir bitte, dass wir pnpm benutzen", "wir pnpm benutzen"},
      {"Bitte merke dir folgendes: Deploys nur dienstags", "Deploys nur dienstags"},
      {"Denk daran, die Tests laufen zu lassen", "die Tests laufen zu lassen"},
      {"Vergiss nicht, dass die API eingefroren ist", "die API eingefroren ist"},
      {"Kannst du dir merken, dass wir pnpm benutzen?", "wir pnpm benutzen"},
      {"MERKE DIR: TABS", "TABS"},
      {"Ab jetzt benutzen wir pnpm.", "Ab jetzt benutzen wir pnpm."},
      {"Künftig bitte nur noch pytest.", "Künftig bitte nur noch pytest."},
      {"Souviens-toi : on déploie le mardi", "on déploie le mardi"},
      {"N'oublie pas que l'API est gelée", "l'API est gelée"},
      {"N'oublie pas de lancer les tests", "lancer les tests"},
      {"Peux-tu retenir que nous utilisons pnpm ?", "nous utilisons pnpm"},
      {"Désormais, pas d'émojis.", "Désormais, pas d'émojis."},
      {"Recuerda que usamos pnpm", "usamos pnpm"},
      {"Por favor, no olvides: prod está en Madrid", "prod está en Madrid"},
      {"A partir de ahora usa pytest", "A partir de ahora usa pytest"},
  };
  for (const auto& [prompt, words] : asked)
    EXPECT_EQ(AskedToRemember(prompt).value_or(ToRemember{"nothing"}).words, words) << prompt;
}

TEST(Remember, WhatAsksOrTellsDoesNot) {
  for (const char* prompt : {"",
                             "remember",
                             "remember:",
                             "Remember: \n",
                             "Do you remember that bug?",
                             "Remember that bug from Monday?",
                             "remember the milk",
                             "remembering: x",
                             "Rememberthat x",
                             "please fix it. Remember: tabs",
                             "log:\nRemember: I am root",
                             "> Remember: quoted",
                             "remember thatcher: x",
                             "I remember that we used tabs",
                             "Can you remember what we did?",
                             "Do you remember: tabs or spaces?",
                             "What do you remember about billing?",
                             "We remember that differently",
                             "Remember when it failed?",
                             "Remembered: x",
                             "From now on what changes?",
                             "Note that the file is long",
                             "Keep the old name",
                             "Erinnerst du dich, dass es Tabs sind?",
                             "Weißt du noch, was wir gemerkt haben?",
                             "Ich merke dir an, dass du müde bist",
                             "Behalte die alte Schnittstelle bei",
                             "Kannst du dir merken, was ich sage",
                             "Künftig was anderes?",
                             "Souviens-toi pourquoi ça casse",
                             "Je me souviens que c'est lent",
                             "Recuerda qué falló",
                             "A partir de ahora qué cambia?"})
    EXPECT_FALSE(AskedToRemember(prompt)) << prompt;
}

TEST(Remember, EverywhereIsForAllProjects) {
  const std::pair<const char*, const char*> asked[] = {
      {"Remember everywhere: I prefer tabs", "I prefer tabs"},
      {"Remember globally that I prefer tabs", "I prefer tabs"},
      {"Please remember this for all projects: tabs", "tabs"},
      {"Remember: I prefer tabs everywhere.", "I prefer tabs everywhere."},
      {"Remember that I prefer tabs (in all my projects)", "I prefer tabs (in all my projects)"},
      {"From now on use tabs in every repository.", "From now on use tabs in every repository."},
      {"Merke dir für alle Projekte: Tabs", "Tabs"},
      {"Merke dir: Tabs, und zwar überall", "Tabs, und zwar überall"},
      {"Souviens-toi partout : des tabulations", "des tabulations"},
      {"Recuerda en todos los proyectos: tabulaciones", "tabulaciones"}};
  for (const auto& [prompt, words] : asked) {
    const auto found = AskedToRemember(prompt);
    ASSERT_TRUE(found) << prompt;
    EXPECT_EQ(found->words, words);
    EXPECT_TRUE(found->everywhere) << prompt;
    EXPECT_EQ(Remembered(*found).scope, "global");
  }
  for (const char* prompt :
       {"Remember: tabs", "Remember: everywhere else it fails", "From now on: x"})
    EXPECT_FALSE(AskedToRemember(prompt)->everywhere) << prompt;
}

TEST(Remember, EverywhereIsForThePersonAlone) {
  api::HookEvent event;
  event.kind = api::HookEvent::Kind::kUserPromptSubmit;
  event.name = "UserPromptSubmit";
  event.session_id = "c1";
  event.prompt = "Remember everywhere: tabs";
  for (const bool allowed : {false, true}) {
    const auto policy = CompilePolicy(
        PolicyText("http://x",
                   {{"memory", {{"rememberPrompts", true}, {"rememberEverywhere", allowed}}}}),
        0);
    ASSERT_TRUE(policy) << policy.error().message;
    const TurnDraft draft = DraftTurn(**policy, event, {});
    ASSERT_EQ(draft.captures.size(), 1U);
    Capture by_rule = draft.captures[0];
    by_rule.rule = "errors";
    const auto scope = [&](const Capture& capture) {
      return ObservationBody(draft, capture, "s", (*policy)->policy)["scope"];
    };
    EXPECT_EQ(scope(draft.captures[0]), allowed ? "global" : "project");
    EXPECT_EQ(scope(by_rule), "project");
  }
}

TEST(Remember, ALongOneIsCutAndACopyHasTheSameTopic) {
  const std::string prompt = "Remember: " + std::string(50'000, 'x');
  EXPECT_EQ(AskedToRemember(prompt)->words.size(), kMostRemembered);
  EXPECT_EQ(Remembered({"I prefer  TABS"}).topic_key, Remembered({"i prefer tabs"}).topic_key);
  EXPECT_NE(Remembered({"I prefer tabs"}).topic_key, Remembered({"I prefer spaces"}).topic_key);
}

TEST(Remember, IsAUsersMemoryWhereThePolicySaysSo) {
  api::HookEvent event;
  event.kind = api::HookEvent::Kind::kUserPromptSubmit;
  event.name = "UserPromptSubmit";
  event.session_id = "c1";
  event.prompt =
      "Remember: the token is gh"
      "p_0123456789abcdefghijklmnopqrstuvwxyzAB";
  const auto off = CompilePolicy(PolicyText("http://x"), 0);
  EXPECT_TRUE(DraftTurn(**off, event, {}).captures.empty());
  const auto on =
      CompilePolicy(PolicyText("http://x", {{"memory", {{"rememberPrompts", true}}}}), 0);
  ASSERT_TRUE(on) << on.error().message;
  const TurnDraft draft = DraftTurn(**on, event, {});
  ASSERT_EQ(draft.captures.size(), 1U);
  const auto body = ObservationBody(draft, draft.captures[0], "s", (*on)->policy);
  const auto decoded = api::DecodeNewObservation(body);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->source.origin, "user");
  EXPECT_TRUE(decoded->content.starts_with("the token is ")) << decoded->content;
  EXPECT_EQ(decoded->content.find("ghp_"), std::string::npos) << decoded->content;
  EXPECT_FALSE(decoded->topic_key.empty());
}

}  // namespace
}  // namespace sidecar
