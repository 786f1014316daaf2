// A store on a file and a store on a server answer alike: each answer, order and id.
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "memory/engines/postgres/store_fixture.h"
#include "memory/sqlite/store/sqlite_store.h"

namespace memory {
namespace {

using base::Json;
using base::Result;

template <class T>
std::string Told(const Result<T>& answer, const std::function<Json(const T&)>& encode) {
  if (!answer) {
    SCOPED_TRACE(answer.error().message);
    if (std::getenv("TELL")) printf("%s\n", answer.error().message.c_str());
    return "error " + std::to_string(static_cast<int>(answer.error().code));
  }
  return base::DumpJson(encode(*answer));
}

Json Rows(const std::vector<api::Observation>& rows) {
  Json list = Json::array();
  for (const api::Observation& row : rows) list.push_back(api::EncodeObservation(row));
  return list;
}

Json FoundRows(const SearchResult& result) {
  Json list = Json::array();
  for (const Found& found : result.rows) {
    list.push_back({{"row", api::EncodeObservation(found.row)},
                    {"rank", found.rank},
                    {"method", found.method},
                    {"similarity", found.scores ? found.scores->similarity.value_or(-1) : -2}});
  }
  return {{"rows", list}, {"partial", result.partial}};
}

class PostgresStoreTest : public PostgresEngineTest {
 protected:
  void SetUp() override {
    PostgresEngineTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    StoreOptions options = Options().store;
    options.index_at_once = true;
    auto file = SqliteStore::Open(scratch_.File("store"), options);
    ASSERT_TRUE(file) << file.error().message;
    file_ = std::move(*file);
    engine_ = StartReplica();
    server_ = OpenIn(*engine_);
  }
  // One call of a random series, on a store → what it answers.
  using Call = std::function<std::string(Store&)>;
  Call AnyCall();

  std::unique_ptr<SqliteStore> file_;
  std::unique_ptr<PostgresEngine> engine_;
  std::shared_ptr<Store> server_;
  std::mt19937 random_{std::getenv("SEED") ? static_cast<unsigned>(std::atoi(std::getenv("SEED")))
                                           : std::random_device()()};
  int64_t ids_ = 0;  // about as many as there are rows
};

PostgresStoreTest::Call PostgresStoreTest::AnyCall() {
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
        return Told<Saved>(store.Save(note, key, now_ms), [](const Saved& saved) {
          return Json{{"id", saved.id},
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
        return Told<api::Observation>(store.Update(id, patch, now_ms), api::EncodeObservation);
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
        return Told<api::Observation>(store.Restore(id), api::EncodeObservation);
      };
    case 7: {
      SessionEnd end;
      end.summary = text();
      end.interim = pick(2) != 0;
      return [=](Store& store) {
        return Told<api::Session>(store.EndSession("s-" + project, end, now_ms),
                                  api::EncodeSession);
      };
    }
    case 8:
    case 9: {
      const std::string question = text();
      return [=](Store& store) {
        return Told<SearchResult>(store.Search(filter, question, false), FoundRows);
      };
    }
    case 10: {
      const std::string question = text();
      return [=](Store& store) {
        return Told<SearchResult>(store.Recall(filter, question), FoundRows);
      };
    }
    case 11: {
      const std::string question = "\"" + text() + "\" OR redis NOT blue";
      return [=](Store& store) {
        return Told<SearchResult>(store.Search(filter, question, true), FoundRows);
      };
    }
    case 12:
      return [=](Store& store) {
        return Told<std::vector<api::Observation>>(store.Recent(filter), Rows);
      };
    case 13:
      return [=](Store& store) {
        return Told<std::vector<api::Observation>>(store.Timeline(id, 3, 3), Rows);
      };
    case 14:
      return [=](Store& store) {
        return Told<Totals>(store.Count(filter.project), [](const Totals& totals) {
          return Json{totals.sessions, totals.observations, totals.projects};
        });
      };
    default:
      return [=](Store& store) {
        return Told<std::vector<Revision>>(
            store.Revisions(id), [](const std::vector<Revision>& all) {
              Json list = Json::array();
              for (const Revision& one : all)
                list.push_back({one.revision, one.title, one.content});
              return list;
            });
      };
  }
}

TEST_F(PostgresStoreTest, RandomCallsAnswerAsOnAFile) {
  const unsigned seed = random_();
  RecordProperty("seed", std::to_string(seed));
  random_.seed(seed);
  for (int i = 0; i < 400; ++i) {
    const Call call = AnyCall();
    const std::string on_file = call(*file_), on_server = call(*server_);
    ASSERT_EQ(on_file, on_server) << "call " << i << ", seed " << seed;
  }
}

}  // namespace
}  // namespace memory
