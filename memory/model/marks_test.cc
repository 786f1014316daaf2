// Marks as tags and as flags.
#include "memory/model/marks.h"

#include <gtest/gtest.h>

#include "lib/base/json/json.h"

namespace memory {
namespace {

using Tags = std::vector<std::string>;

int64_t FlagsOfTags(const Tags& tags) { return MarksOf(base::DumpJson(base::Json(tags))); }

TEST(Marks, AreTheFlagsOfTheirTags) {
  EXPECT_EQ(FlagsOfTags({}), 0);
  EXPECT_EQ(FlagsOfTags({"a", "@pinned"}), kFlagPinned);
  EXPECT_EQ(FlagsOfTags({"@buried"}), kFlagBuried);
  EXPECT_EQ(FlagsOfTags({"@buried", "b", "@pinned"}), kFlagPinned | kFlagBuried);
}

TEST(Marks, AreNotFoundInsideOfOtherTags) {
  for (const char* tag : {"pinned", "@pinned2", "x@pinned", "\"@pinned\"", "@pinned\"", "\"@pinned",
                          "a\\\"@pinned\\\"", "@Pinned"})
    EXPECT_EQ(FlagsOfTags({tag}), 0) << tag;
}

TEST(Marks, TagsOfAWriterHaveNone) {
  EXPECT_EQ(WithoutMarks({"@pinned", "a", "@buried"}), Tags{"a"});
  EXPECT_EQ(WithMarksOf({"old", "@pinned"}, {"new", "@buried"}), (Tags{"new", "@pinned"}));
}

TEST(Marks, AreSetOnceAndTakenAway) {
  EXPECT_EQ(WithMark({"@pinned", "a"}, kPinnedTag, true), (Tags{"@pinned", "a"}));
  EXPECT_EQ(WithMark({"a"}, kPinnedTag, true), (Tags{"a", "@pinned"}));
  EXPECT_EQ(WithMark({"@pinned", "a", "@pinned"}, kPinnedTag, false), Tags{"a"});
}

}  // namespace
}  // namespace memory
