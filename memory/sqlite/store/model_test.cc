// Random operations on the store against a plain model; the index is checked after each step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "lib/testing/temporary_directory.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

// What the store should hold, told in plain containers.
class StoreModel {
 public:
  struct Row {
    std::string content, topic, project;
    int64_t revisions = 1, duplicates = 0, written_ms = 0;
    bool deleted = false;
  };
  std::map<int64_t, Row> rows;
  int64_t next = 1;

  int64_t Save(const api::NewObservation& note, int64_t now_ms) {
    if (!note.topic_key.empty()) {
      auto known = topics_.find({note.project, note.topic_key});
      if (known != topics_.end()) {
        const int64_t id = known->second;  // Rewrite takes the entry out and puts it in again
        Rewrite(id, note.content, now_ms);
        return id;
      }
    } else if (auto equal = by_content_.find({note.project, note.content});
               equal != by_content_.end()) {
      auto [written_ms, minus_id] = *equal->second.rbegin();  // the latest; of equals the first
      if (now_ms - written_ms <= 15 * kMinute) return ++rows[-minus_id].duplicates, -minus_id;
    }
    rows[next] = {note.content, note.topic_key, note.project, 1, 0, now_ms, false};
    Link(next);
    return next++;
  }
  // A new revision of a row that is there.
  void Rewrite(int64_t id, const std::string& content, int64_t now_ms) {
    Unlink(id);
    Row& row = rows[id];
    ++row.revisions;
    if (row.content != content) row.written_ms = now_ms;
    row.content = content;
    Link(id);
  }
  void Delete(int64_t id, bool hard) {
    auto row = rows.find(id);
    if (row == rows.end()) return;
    if (!row->second.deleted) Unlink(id);
    row->second.deleted = true;
    if (hard) rows.erase(row);
  }
  std::set<int64_t> LiveWith(const std::string& content) const {
    std::set<int64_t> ids;
    for (const char* project : {"p", "q"}) {
      auto equal = by_content_.find({project, content});
      if (equal == by_content_.end()) continue;
      for (auto [written_ms, minus_id] : equal->second) ids.insert(-minus_id);
    }
    return ids;
  }

 private:
  using Key = std::pair<std::string, std::string>;  // project, and topic or content
  void Link(int64_t id) {
    const Row& row = rows[id];
    if (!row.topic.empty()) topics_[{row.project, row.topic}] = id;
    by_content_[{row.project, row.content}].insert({row.written_ms, -id});
  }
  void Unlink(int64_t id) {
    const Row& row = rows[id];
    if (!row.topic.empty()) topics_.erase({row.project, row.topic});
    auto equal = by_content_.find({row.project, row.content});
    equal->second.erase({row.written_ms, -id});
    if (equal->second.empty()) by_content_.erase(equal);
  }
  std::map<Key, int64_t> topics_;  // live rows only
  std::map<Key, std::set<std::pair<int64_t, int64_t>>> by_content_;
};

// AGENT_MEMORY_MODEL_STEPS=1000000 for the long run. In a long run there are a thousand searches
// and fifty checks of the index, which cost what the store holds.
uint64_t Steps() {
  const char* asked = std::getenv("AGENT_MEMORY_MODEL_STEPS");
  return asked ? std::stoull(asked) : 400;
}

TEST(StoreModel, RandomOperationsMatchTheModel) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto below = [&](uint64_t n) { return random() % n; };
  testing::TemporaryDirectory scratch;
  auto store = SqliteStore::Open(scratch.File("store"), {});
  ASSERT_TRUE(store);
  StoreModel model;
  int64_t now_ms = kMidnight - kDay / 2;
  const uint64_t steps = Steps(), check_every = std::max<uint64_t>(1, steps / 1000);
  const uint64_t words = std::max<uint64_t>(12, steps / 100);
  auto some_text = [&] {  // now and then what was said just before
    return "word" + std::to_string(below(3) == 0 ? below(12) : below(words));
  };
  for (uint64_t step = 0; step < steps; ++step) {
    now_ms += static_cast<int64_t>(below(3 * kMinute));
    int64_t id = 1 + static_cast<int64_t>(below(static_cast<uint64_t>(model.next) + 1));
    auto row = model.rows.find(id);
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        auto note = Note(some_text(), below(2) ? "p" : "q");
        if (below(3) == 0) note.topic_key = "topic" + std::to_string(below(4));
        auto saved = (*store)->Save(note, "", now_ms);
        ASSERT_TRUE(saved);
        ASSERT_EQ(saved->id, model.Save(note, now_ms));
        break;
      }
      case 4: {
        Patch patch;
        patch.content = some_text();
        auto updated = (*store)->Update(id, patch, now_ms);
        bool there = row != model.rows.end() && !row->second.deleted;
        ASSERT_EQ(updated.has_value(), there);
        if (there && row->second.content != *patch.content)
          model.Rewrite(id, *patch.content, now_ms);
        break;
      }
      case 5:
      case 6: {
        bool hard = below(2) == 0;
        auto deleted = (*store)->Delete(id, hard, now_ms);
        ASSERT_EQ(deleted.has_value(), id < model.next);
        model.Delete(id, hard);
        break;
      }
      default:
        if (below(10) == 0) {
          store->reset();
          store = SqliteStore::Open(scratch.File("store"), {});
          ASSERT_TRUE(store);
        }
    }
    if (step % check_every != 0) continue;
    if (check_every > 1 && step % (100 * check_every) == 0)
      std::printf("step %lu\n", step), std::fflush(stdout);
    if (check_every == 1 || step % (20 * check_every) == 0 || step + check_every >= steps) {
      auto sound = (*store)->CheckIntegrity();
      ASSERT_TRUE(sound) << "step " << step << ": " << sound.error().message;
    }
    const auto live = std::count_if(model.rows.begin(), model.rows.end(),
                                    [](const auto& row) { return !row.second.deleted; });
    ASSERT_EQ((*store)->Usage().rows, live) << "step " << step;
    std::string word = "word" + std::to_string(below(words));
    std::set<int64_t> wanted = model.LiveWith(word), found;
    if (wanted.size() > 500) continue;  // more than an answer holds: its order is not told here
    Filter filter;
    filter.limit = 1000;
    auto result = (*store)->Search(filter, word, false);
    ASSERT_TRUE(result);
    for (const Found& hit : result->rows) found.insert(hit.row.id);
    ASSERT_EQ(found, wanted) << "step " << step;
  }
  for (auto& [id, row] : model.rows) {
    auto stored = (*store)->Get(id);
    ASSERT_EQ(stored.has_value(), !row.deleted) << id;
    if (!stored) continue;
    EXPECT_EQ(stored->content, row.content);
    EXPECT_EQ(stored->revision_count, row.revisions);
    EXPECT_EQ(stored->duplicate_count, row.duplicates);
  }
}

}  // namespace
}  // namespace memory
