// Random calls on stores, each with what it answers.
#pragma once

#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "memory/engines/postgres/kind_calls_fixture.h"
#include "memory/engines/postgres/store_fixture.h"
#include "memory/engines/postgres/told_fixture.h"
#include "memory/sqlite/store/sqlite_store.h"

namespace memory {

class CallsTest : public PostgresEngineTest {
 protected:
  // One call of a random series, on a store → what it answers.
  using Call = std::function<std::string(Store&)>;
  Call AnyCall();
  void Seed() {
    const char* given = std::getenv("SEED");
    seed_ = given ? static_cast<unsigned>(std::atoi(given)) : std::random_device()();
    random_.seed(seed_);
    RecordProperty("seed", std::to_string(seed_));
  }
  StoreOptions Files() {
    StoreOptions options = Options().store;
    options.index_at_once = true;
    return options;
  }

  unsigned seed_ = 0;
  std::mt19937 random_;
  int64_t ids_ = 0;  // about as many as there are rows
};

inline CallsTest::Call CallsTest::AnyCall() {
  const auto pick = [&](int below) {
    return std::uniform_int_distribution<int>(0, below - 1)(random_);
  };
  static const std::vector<std::string> kWords = {"redis", "timeout",  "of",    "the",  "cache",
                                                  "is",    "thirty",   "north", "blue", "deploy",
                                                  "team",  "postgres", "falls", "back"};
  const auto text = [&] {
    std::string words;
    for (int i = 0, n = 2 + pick(6); i < n; ++i)
      words += (i ? " " : "") + kWords[static_cast<size_t>(pick(static_cast<int>(kWords.size())))];
    return words;
  };
  clock_.Advance(1000 * pick(200));
  if (pick(2) == 0) return KindCalls(random_, clock_.NowMs(), text).Any();
  const int64_t now_ms = clock_.NowMs(), id = 1 + pick(static_cast<int>(ids_ + 2));
  const std::string project = "p" + std::to_string(pick(3));
  Filter filter;
  if (pick(4)) filter.project = project;
  filter.limit = static_cast<size_t>(1 + pick(8));
  switch (pick(16)) {
    case 0:
    case 1:
    case 2:
    case 3: {
      api::NewObservation note = Note(text(), project);
      note.title = text();
      if (pick(4) == 0) note.topic_key = "topic/" + std::to_string(pick(4));
      if (pick(6) == 0) note.scope = "global";
      note.tags = {"t" + std::to_string(pick(3))};
      const std::string key = pick(5) ? "" : "key-" + std::to_string(pick(20));
      ++ids_;
      return [=](Store& store) {
        return ToldOf<Saved>(store.Save(note, key, now_ms), [](const Saved& saved) {
          return base::Json{{"id", saved.id},
                            {"action", saved.action},
                            {"n", saved.revision_count},
                            {"d", saved.duplicate_count},
                            {"replayed", saved.replayed},
                            {"reused", saved.key_reused}};
        });
      };
    }
    case 4: {
      Patch patch;
      if (pick(2)) patch.content = text();
      if (pick(2)) patch.title = text();
      if (pick(3) == 0) patch.if_revision = 1 + pick(3);
      return [=](Store& store) {
        return ToldOf<api::Observation>(store.Update(id, patch, now_ms), api::EncodeObservation);
      };
    }
    case 5: {
      const bool hard = pick(3) == 0;
      return [=](Store& store) {
        const base::Status done = store.Delete(id, hard, now_ms);
        return done ? std::string("deleted")
                    : "error " + std::to_string(static_cast<int>(done.error().code));
      };
    }
    case 6:
      return [=](Store& store) {
        return ToldOf<api::Observation>(store.Restore(id), api::EncodeObservation);
      };
    case 7: {
      SessionEnd end;
      end.summary = text();
      end.interim = pick(2) != 0;
      return [=](Store& store) {
        return ToldOf<api::Session>(store.EndSession("s-" + project, end, now_ms),
                                    api::EncodeSession);
      };
    }
    case 8:
    case 9: {
      const std::string question = text();
      return [=](Store& store) {
        return ToldOf<SearchResult>(store.Search(filter, question, false), FoundRows);
      };
    }
    case 10: {
      const std::string question = text();
      return [=](Store& store) {
        return ToldOf<SearchResult>(store.Recall(filter, question), FoundRows);
      };
    }
    case 11: {
      const std::string question = "\"" + text() + "\" OR redis NOT blue";
      return [=](Store& store) {
        return ToldOf<SearchResult>(store.Search(filter, question, true), FoundRows);
      };
    }
    case 12:
      return [=](Store& store) {
        return ToldOf<std::vector<api::Observation>>(store.Recent(filter), ToldRows);
      };
    case 13:
      return [=](Store& store) {
        return ToldOf<std::vector<api::Observation>>(store.Timeline(id, 3, 3), ToldRows);
      };
    case 14:
      return [=](Store& store) {
        return ToldOf<Totals>(store.Count(filter.project), [](const Totals& totals) {
          return base::Json{totals.sessions, totals.observations, totals.projects};
        });
      };
    default:
      return [=](Store& store) {
        return ToldOf<std::vector<Revision>>(
            store.Revisions(id), [](const std::vector<Revision>& all) {
              base::Json list = base::Json::array();
              for (const Revision& one : all)
                list.push_back({one.revision, one.title, one.content});
              return list;
            });
      };
  }
}

}  // namespace memory
