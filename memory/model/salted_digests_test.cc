// Which inputs a digest distinguishes.
#include "memory/model/salted_digests.h"

#include <gtest/gtest.h>

namespace memory {
namespace {

TEST(SaltedDigest, DigestDependsOnSaltTextsAndBoundaries) {
  const int64_t digest = SaltedDigest("salt", {"ab", "c"});
  EXPECT_EQ(SaltedDigest("salt", {"ab", "c"}), digest);
  EXPECT_NE(SaltedDigest("salt", {"a", "bc"}), digest);
  EXPECT_NE(SaltedDigest("salt", {"ab", "c", ""}), digest);
  EXPECT_NE(SaltedDigest("other", {"ab", "c"}), digest);
}

}  // namespace
}  // namespace memory
