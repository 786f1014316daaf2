// Shows how changes of a conversation's fields are merged.
#include "lib/conversation/conversation.h"

#include <gtest/gtest.h>

namespace conversation {
namespace {

using base::Json;

TEST(Fields, ToolMetaIsMergedByCallOthersReplaced) {
  Json fields = {{"toolMeta", {{"t1", {{"a", 1}}}, {"t2", "x"}}},
                 {"delegation", {{"group", 1}, {"open", 2}}},
                 {"note", "kept"}};
  const auto merged = MergeFields(
      fields, {{"toolMeta", {{"t2", nullptr}, {"t3", "{}"}}}, {"delegation", {{"group", 2}}}});
  ASSERT_TRUE(merged);
  EXPECT_EQ(*merged, (Json{{"toolMeta", {{"t1", {{"a", 1}}}, {"t3", "{}"}}},
                           {"delegation", {{"group", 2}}},
                           {"note", "kept"}}));
  EXPECT_FALSE(MergeFields(fields, {{"toolMeta", nullptr}})->contains("toolMeta"));
  const auto large = MergeFields(fields, {{"note", std::string(kMaxFieldsBytes, 'x')}});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, base::Code::kTooLarge);
}

}  // namespace
}  // namespace conversation
