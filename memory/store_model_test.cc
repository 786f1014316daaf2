// Random operations on the store against a plain model; the index is checked after each step.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "memory/memory_fixture.h"
#include "memory/store.h"

namespace memory {
namespace {

// What the store should hold, told the slow and simple way.
struct Model {
  struct Row {
    std::string content, topic, project;
    int64_t revisions = 1, duplicates = 0, written_ms = 0;
    bool deleted = false;
  };
  std::map<int64_t, Row> rows;
  int64_t next = 1;

  int64_t Save(const api::NewObservation& note, int64_t now_ms) {
    for (auto& [id, row] : rows) {
      if (row.deleted || row.project != note.project) continue;
      if (!note.topic_key.empty() && row.topic == note.topic_key) {
        ++row.revisions;
        if (row.content != note.content) row.written_ms = now_ms;
        row.content = note.content;
        return id;
      }
    }
    Row* twin = nullptr;
    int64_t twin_id = 0;
    for (auto& [id, row] : rows) {
      bool same = !row.deleted && row.project == note.project && note.topic_key.empty() &&
                  row.content == note.content;
      if (!same || now_ms - row.written_ms > 15 * kMinute) continue;
      if (!twin || row.written_ms > twin->written_ms) twin = &row, twin_id = id;
    }
    if (twin) return ++twin->duplicates, twin_id;
    rows[next] = {note.content, note.topic_key, note.project, 1, 0, now_ms, false};
    return next++;
  }
};

TEST(StoreModel, RandomOperationsMatchAndTheIndexStaysSound) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto below = [&](uint64_t n) { return random() % n; };
  ScratchDirectory scratch;
  auto store = Store::Open(scratch.File("store"), {});
  ASSERT_TRUE(store);
  Model model;
  int64_t now_ms = kMidnight - kDay / 2;
  for (int step = 0; step < 400; ++step) {
    now_ms += static_cast<int64_t>(below(3 * kMinute));
    int64_t id = 1 + static_cast<int64_t>(below(static_cast<uint64_t>(model.next) + 1));
    auto row = model.rows.find(id);
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        auto note = Note("word" + std::to_string(below(12)), below(2) ? "p" : "q");
        if (below(3) == 0) note.topic_key = "topic" + std::to_string(below(4));
        auto saved = (*store)->Save(note, "", now_ms);
        ASSERT_TRUE(saved);
        ASSERT_EQ(saved->id, model.Save(note, now_ms));
        break;
      }
      case 4: {
        Patch patch;
        patch.content = "word" + std::to_string(below(12));
        auto updated = (*store)->Update(id, patch, now_ms);
        bool there = row != model.rows.end() && !row->second.deleted;
        ASSERT_EQ(updated.has_value(), there);
        if (there && row->second.content != *patch.content) {
          row->second.content = *patch.content;
          row->second.written_ms = now_ms;
          ++row->second.revisions;
        }
        break;
      }
      case 5:
      case 6: {
        bool hard = below(2) == 0;
        auto deleted = (*store)->Delete(id, hard, now_ms);
        ASSERT_EQ(deleted.has_value(), id < model.next);
        if (row != model.rows.end()) row->second.deleted = true;
        if (hard && row != model.rows.end()) model.rows.erase(row);
        break;
      }
      default:
        if (below(10) == 0) {
          store->reset();
          store = Store::Open(scratch.File("store"), {});
          ASSERT_TRUE(store);
        }
    }
    auto sound = (*store)->CheckIntegrity();
    ASSERT_TRUE(sound) << "step " << step << ": " << sound.error().message;
    std::string word = "word" + std::to_string(below(12));
    std::set<int64_t> wanted, found;
    for (auto& [key, value] : model.rows) {
      if (!value.deleted && value.content == word) wanted.insert(key);
    }
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
