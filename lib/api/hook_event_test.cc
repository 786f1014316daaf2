// Decoding of events in the shapes that agents send, and refusal of other JSON.
#include "lib/api/hook_event.h"

#include <gtest/gtest.h>

namespace api {
namespace {

using base::Json;

Json Event(const char* name, Json more = Json::object()) {
  Json event = {{"hook_event_name", name}, {"session_id", "c1"}, {"cwd", "/work"}};
  event.update(more);
  return event;
}

TEST(HookEvent, AMisspeltNameHasTheEventThatItMeans) {
  for (const auto& [name, meant] : std::initializer_list<std::pair<const char*, const char*>>{
           {"userpromptsubmit", "UserPromptSubmit"},
           {"UserPromtSubmit", "UserPromptSubmit"},
           {"PostToolUsage", "PostToolUse"},
           {"stop", "Stop"},
           {"SesionEnd", "SessionEnd"},
           {"Setup", ""},
           {"Notification", ""},
           {"SubagentStop", ""},
           {"PreCompact", ""},
           {"PermissionRequest", ""},
           {"x", ""}})
    EXPECT_EQ(MeantEvent(name), meant) << name;
}

TEST(HookEvent, PromptIsDecodedAndUnknownFieldsPass) {
  auto event = DecodeHookEvent(Event("UserPromptSubmit", {{"prompt", "fix it"},
                                                          {"prompt_id", "p1"},
                                                          {"permission_mode", "plan"},
                                                          {"effort", {{"level", "high"}}}}));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, HookEvent::Kind::kUserPromptSubmit);
  EXPECT_EQ(event->prompt, "fix it");
  EXPECT_EQ(event->prompt_id, "p1");
  EXPECT_EQ(event->session_id, "c1");
}

TEST(HookEvent, ToolResponseKeepsItsShape) {
  for (const Json& response :
       {Json("text"), Json{{"stdout", "a"}}, Json::array({{{"type", "text"}}})}) {
    auto event = DecodeHookEvent(Event(
        "PostToolUse", {{"tool_name", "Bash"}, {"tool_input", 7}, {"tool_response", response}}));
    ASSERT_TRUE(event);
    EXPECT_EQ(event->tool_response, response);
    EXPECT_EQ(event->tool_input, 7);
  }
}

TEST(HookEvent, FailureCarriesItsErrorText) {
  auto event = DecodeHookEvent(
      Event("PostToolUseFailure", {{"tool_name", "Bash"}, {"error", "Exit code 3"}}));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, HookEvent::Kind::kPostToolUseFailure);
  EXPECT_EQ(event->error, "Exit code 3");
}

TEST(HookEvent, UnknownEventsAreAcceptedAsOther) {
  auto event = DecodeHookEvent(Event("Notification", {{"prompt", 7}}));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, HookEvent::Kind::kOther);
}

TEST(HookEvent, WhatIsNotAnEventIsRefused) {
  const Json bad[] = {Json::array(),
                      Json("text"),
                      Json::object(),
                      {{"hook_event_name", "Stop"}},
                      {{"session_id", "c1"}},
                      {{"hook_event_name", 1}, {"session_id", "c1"}},
                      {{"hook_event_name", "Stop"}, {"session_id", ""}},
                      {{"hook_event_name", "Stop"}, {"session_id", std::string(201, 'x')}},
                      Event("UserPromptSubmit", {{"prompt", 7}}),
                      Event("PreToolUse")};
  for (const Json& body : bad) {
    auto event = DecodeHookEvent(body);
    ASSERT_FALSE(event) << body.dump();
    EXPECT_EQ(event.error().code, base::Code::kInvalid);
  }
}

TEST(HookAnswer, NothingToSayIsAnEmptyObject) {
  EXPECT_EQ(EncodeHookAnswer({}, {}), Json::object());
}

TEST(HookAnswer, ContextAndDenialNameTheirEvent) {
  HookEvent event;
  event.name = "PreToolUse";
  EXPECT_EQ(EncodeHookAnswer(event, {"context", "deny", "because", ""}),
            (Json{{"hookSpecificOutput",
                   {{"hookEventName", "PreToolUse"},
                    {"additionalContext", "context"},
                    {"permissionDecision", "deny"},
                    {"permissionDecisionReason", "because"}}}}));
}

}  // namespace
}  // namespace api
