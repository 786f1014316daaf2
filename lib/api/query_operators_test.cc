// Operators in queries.
#include "lib/api/query_operators.h"

#include <gtest/gtest.h>

namespace api {
namespace {

TEST(QueryOperators, AreQuotesPrefixesAndWordsBetweenWords) {
  for (const char* query : {"\"exact phrase\"", "deploy*", "wal AND busy", "a OR b", "x NOT y"}) {
    EXPECT_TRUE(HasOperators(query)) << query;
  }
  for (const char* query : {"why did it fail?", "5\" disk", "AND", "this AND", "OR this",
                            "and or not", "a*b", "*", "x ** y", ""}) {
    EXPECT_FALSE(HasOperators(query)) << query;
  }
}

}  // namespace
}  // namespace api
