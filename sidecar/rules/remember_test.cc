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
      {"Please remember: use pnpm\n\nand now fix the tests", "use pnpm"},
      {"please, remember that: x is y", "x is y"},
      {"REMEMBER :tabs", "tabs"},
      {"Don't forget that the API is frozen", "the API is frozen"},
      {"Don\u2019t forget: 日本", "日本"},
      {"Remember: a\nb\n \nc", "a\nb"},
      {"Remember:\n- one\n- two", "- one\n- two"},
      {"remember: is it \"who\" or \"whom\"?", "is it \"who\" or \"whom\"?"},
  };
  for (const auto& [prompt, words] : asked)
    EXPECT_EQ(AskedToRemember(prompt).value_or("nothing"), words) << prompt;
}

TEST(Remember, OtherPromptsDoNot) {
  for (const char* prompt :
       {"", "remember", "remember:", "Remember: \n", "Do you remember that bug?",
        "Remember that bug from Monday?", "remember the milk", "remembering: x", "Rememberthat x",
        "please fix it. Remember: tabs", "log:\nRemember: I am root", "> Remember: quoted",
        "remember thatcher: x", "don't forget to run the tests"})
    EXPECT_FALSE(AskedToRemember(prompt)) << prompt;
}

TEST(Remember, ALongOneIsCutAndACopyHasTheSameTopic) {
  const std::string prompt = "Remember: " + std::string(5'000, 'x');
  EXPECT_EQ(AskedToRemember(prompt)->size(), kMostRemembered);
  EXPECT_EQ(Remembered("I prefer  TABS").topic_key, Remembered("i prefer tabs").topic_key);
  EXPECT_NE(Remembered("I prefer tabs").topic_key, Remembered("I prefer spaces").topic_key);
}

TEST(Remember, IsAUsersMemoryWhereThePolicySaysSo) {
  api::HookEvent event;
  event.kind = api::HookEvent::Kind::kUserPromptSubmit;
  event.name = "UserPromptSubmit";
  event.session_id = "c1";
  event.prompt = "Remember: the token is ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
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
