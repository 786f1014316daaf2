// Which words tell texts apart.
#include "memory/model/told_apart.h"

#include <gtest/gtest.h>

namespace memory {
namespace {

using Telling = std::vector<std::string>;

TEST(ToldApart, NumbersDaysMonthsNegationsAndIdentifiersInTheirOrder) {
  EXPECT_EQ(TellingWords("Meet on Mon, not Tuesday, at 7:15 in room OPS-12"),
            (Telling{"monday", "not", "tuesday", "7:15", "ops-12"}));
  EXPECT_EQ(TellingWords("It isn't; it won’t; it cannot."), (Telling{"not", "not", "not"}));
  EXPECT_EQ(TellingWords("Seven boxes in März"), (Telling{"seven", "march"}));
  EXPECT_EQ(TellingWords("sieben Kisten im MÄRZ"), (Telling{"seven", "march"}));
  EXPECT_EQ(TellingWords("Tuesdays and dienstags"), (Telling{"tuesday", "tuesday"}));
  EXPECT_TRUE(TellingWords("The sun sat on a well-known hill, and may stay").empty());
  EXPECT_TRUE(TellingWords("").empty());
}

}  // namespace
}  // namespace memory
