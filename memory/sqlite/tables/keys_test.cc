// Idempotency-Keys of files that earlier versions wrote.
#include "memory/sqlite/tables/keys.h"

#include "memory/sqlite/store/damage_fixture.h"
#include "memory/sqlite/store/store_fixture.h"

namespace memory {
namespace {

class StoreKeysTest : public StoreTest {
 protected:
  Saved MustSaveAs(const std::string& caller, const std::string& content, const std::string& key) {
    auto saved = store_->Save(Note(content), RequestKey(key, caller), kMidnight);
    EXPECT_TRUE(saved) << saved.error().message;
    return saved ? *saved : Saved();
  }
};

TEST_F(StoreKeysTest, KeyOfAnEarlierVersionReplaysForAnyBodyAndCaller) {
  const int64_t id = MustSave(Note("text"), kMidnight, "k").id;
  store_.reset();
  Tamper(scratch_.File("store"), "UPDATE idempotency SET digest = NULL");  // as they left it
  Reopen();
  for (const char* caller : {"", "coder"}) {
    const Saved again = MustSaveAs(caller, "whatever", "k");
    EXPECT_TRUE(again.replayed) << caller;
    EXPECT_FALSE(again.key_reused);
    EXPECT_EQ(again.id, id);
  }
}

TEST_F(StoreKeysTest, AnonymousKeyDiffersFromCallersKey) {
  const int64_t nobodys = MustSaveAs("", "of nobody by name", "k").id;
  const Saved coders = MustSaveAs("coder", "of the coder", "k");
  EXPECT_FALSE(coders.replayed || coders.key_reused);
  EXPECT_NE(coders.id, nobodys);
  EXPECT_TRUE(MustSaveAs("", "of nobody by name", "k").replayed);
  EXPECT_TRUE(MustSaveAs("coder", "of the coder", "k").replayed);
  EXPECT_TRUE(MustSaveAs("coder", "of nobody by name", "k").key_reused);
}

TEST_F(StoreKeysTest, ReusedKeyKeepsItsFirstBody) {
  const int64_t id = MustSaveAs("coder", "first", "k").id;
  for (int i = 0; i < 2; ++i) {
    const Saved refused = MustSaveAs("coder", "second", "k");
    EXPECT_TRUE(refused.key_reused);
    EXPECT_FALSE(refused.replayed);
    EXPECT_EQ(refused.id, id);
  }
  EXPECT_TRUE(MustSaveAs("coder", "first", "k").replayed);
  EXPECT_EQ(store_->Count({})->observations, 1);
}

}  // namespace
}  // namespace memory
