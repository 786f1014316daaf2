// The baselines of scripts/bench/memory.py, in process and without HTTP: syncs of the disk, the SQL
// of the reference service, and a ranked query by FTS5 alone. Prints one JSON object. Not part of
// any program.
//
//   reference_replay disk DIR SECONDS            8 KiB and fdatasync, repeatedly
//   reference_replay build DB ROWS               ROWS lines: project<TAB>title<TAB>content
//   reference_replay read DB PROJECT QUESTIONS   QUESTIONS lines: all words<TAB>no common words
//   reference_replay write DIR ROWS SECONDS      the reference's write, one row a transaction
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

double NowUs() {
  using std::chrono::steady_clock;
  return std::chrono::duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

void Must(sqlite3* db, bool ok, const std::string& what) {
  if (ok) return;
  std::fprintf(stderr, "%s: %s\n", what.c_str(), sqlite3_errmsg(db));
  std::exit(1);
}

void Execute(sqlite3* db, const char* sql) {
  Must(db, sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sql);
}

sqlite3_stmt* Prepare(sqlite3* db, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  Must(db, sqlite3_prepare_v2(db, sql, -1, &statement, nullptr) == SQLITE_OK, sql);
  return statement;
}

void Bind(sqlite3_stmt* statement, int at, const std::string& text) {
  sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

// Steps to the end and reads every column, like a program that answers.
void Run(sqlite3_stmt* statement) {
  int rc = 0;
  while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(statement); ++i) sqlite3_column_text(statement, i);
  }
  Must(sqlite3_db_handle(statement), rc == SQLITE_DONE, "step");
  sqlite3_reset(statement);
}

struct Line {
  std::string first, second, third;
};

std::vector<Line> ReadLines(const char* file) {
  std::vector<Line> lines;
  std::ifstream in(file);
  for (std::string text; std::getline(in, text);) {
    std::istringstream parts(text);
    Line& line = lines.emplace_back();
    std::getline(parts, line.first, '\t');
    std::getline(parts, line.second, '\t');
    std::getline(parts, line.third, '\t');
  }
  return lines;
}

double At(std::vector<double> times, double share) {
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  return times[std::min(times.size() - 1,
                        static_cast<size_t>(share * static_cast<double>(times.size())))];
}

int Disk(const std::string& folder, double seconds) {
  const std::string path = folder + "/sync-floor";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  const std::string block(8192, 'x');
  for (int i = 0; i < 128; ++i) (void)!pwrite(file, block.data(), block.size(), i * 8192);
  fsync(file);
  std::vector<double> times;
  const double begin = NowUs();
  while (NowUs() - begin < seconds * 1e6) {
    const double start = NowUs();
    (void)!pwrite(file, block.data(), block.size(), static_cast<off_t>(times.size() % 128 * 8192));
    fdatasync(file);
    times.push_back(NowUs() - start);
  }
  close(file);
  unlink(path.c_str());
  std::printf("{\"syncs_per_s\": %.1f, \"p50_us\": %.1f, \"p99_us\": %.1f}\n",
              static_cast<double>(times.size()) / seconds, At(times, .5), At(times, .99));
  return 0;
}

// The reference's tables and indexes; a trigger updates its full-text table.
constexpr const char* kSchema =
    "CREATE TABLE observations(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,"
    " type TEXT NOT NULL, title TEXT NOT NULL, content TEXT NOT NULL, tags TEXT,"
    " project TEXT NOT NULL, scope TEXT NOT NULL DEFAULT 'project', topic_key TEXT,"
    " normalized_hash TEXT, created_at TEXT NOT NULL DEFAULT (datetime('now')), deleted_at TEXT);"
    "CREATE INDEX of_project ON observations(project) WHERE deleted_at IS NULL;"
    "CREATE INDEX of_session ON observations(session_id);"
    "CREATE INDEX of_type ON observations(type) WHERE deleted_at IS NULL;"
    "CREATE INDEX of_topic ON observations(topic_key) WHERE topic_key IS NOT NULL;"
    "CREATE INDEX of_hash ON observations(normalized_hash) WHERE deleted_at IS NULL;"
    "CREATE VIRTUAL TABLE found USING fts5(title, content, type, project, topic_key,"
    " content=observations, content_rowid=id, tokenize='porter unicode61');"
    "CREATE TRIGGER inserted AFTER INSERT ON observations BEGIN"
    " INSERT INTO found(rowid, title, content, type, project, topic_key)"
    " VALUES(new.id, new.title, new.content, new.type, new.project, new.topic_key); END;";

sqlite3* Make(const std::string& path, const char* pragmas) {
  for (const char* end : {"", "-wal", "-shm", "-journal"}) unlink((path + end).c_str());
  sqlite3* db = nullptr;
  Must(db, sqlite3_open(path.c_str(), &db) == SQLITE_OK, path);
  Execute(db, pragmas);
  Execute(db, kSchema);
  return db;
}

class ReferenceWrite {
 public:
  explicit ReferenceWrite(sqlite3* db)
      : look_(Prepare(db,
                      "SELECT id FROM observations WHERE normalized_hash = ?1 AND project = ?2 "
                      "AND scope = 'project' AND type = 'note' AND title = ?3 AND deleted_at "
                      "IS NULL AND created_at >= datetime('now', '-900 seconds') LIMIT 1")),
        insert_(Prepare(db,
                        "INSERT INTO observations(session_id, type, title, content, project, "
                        "normalized_hash) VALUES('s', 'note', ?1, ?2, ?3, ?4)")) {}
  ~ReferenceWrite() {
    sqlite3_finalize(look_);
    sqlite3_finalize(insert_);
  }
  void operator()(const Line& row, size_t number) {
    const std::string hash = "hash-of-64-characters-or-so-for-row-" + std::to_string(number);
    Bind(look_, 1, hash);
    Bind(look_, 2, row.first);
    Bind(look_, 3, row.second);
    Run(look_);
    Bind(insert_, 1, row.second);
    Bind(insert_, 2, row.third);
    Bind(insert_, 3, row.first);
    Bind(insert_, 4, hash);
    Run(insert_);
  }

 private:
  sqlite3_stmt *look_, *insert_;
};

int Build(const char* path, const char* file) {
  sqlite3* db = Make(path, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF");
  Execute(db,
          "CREATE VIRTUAL TABLE ranged USING fts5(title, content, content='',"
          " tokenize='porter unicode61'); CREATE TABLE numbers(project TEXT PRIMARY KEY,"
          " number INTEGER); BEGIN");
  std::unordered_map<std::string, int64_t> numbers;
  sqlite3_stmt* ranged =
      Prepare(db, "INSERT INTO ranged(rowid, title, content) VALUES(?1, ?2, ?3)");
  {
    ReferenceWrite write(db);
    size_t count = 0;
    for (const Line& row : ReadLines(file)) {
      write(row, ++count);
      const int64_t number = numbers.try_emplace(row.first, numbers.size() + 1).first->second;
      sqlite3_bind_int64(ranged, 1, number << 32 | static_cast<int64_t>(count));
      Bind(ranged, 2, row.second);
      Bind(ranged, 3, row.third);
      Run(ranged);
    }
  }
  sqlite3_stmt* note = Prepare(db, "INSERT INTO numbers VALUES(?1, ?2)");
  for (const auto& [project, number] : numbers) {
    Bind(note, 1, project);
    sqlite3_bind_int64(note, 2, number);
    Run(note);
  }
  sqlite3_finalize(note);
  sqlite3_finalize(ranged);
  Execute(db, "COMMIT; INSERT INTO ranged(ranged) VALUES('optimize'); ANALYZE");
  sqlite3_close(db);
  std::printf("{}\n");
  return 0;
}

struct Hits {
  int64_t row = 0;
  std::vector<std::pair<int, int>> words;  // phrase, count
};
std::vector<Hits> g_hits;

void TakeHits(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result, int,
              sqlite3_value**) {
  Hits& hits = g_hits.emplace_back();
  hits.row = api->xRowid(context);
  for (int phrase = 0; phrase < api->xPhraseCount(context); ++phrase) {
    Fts5PhraseIter at;
    int column = 0, offset = 0, count = 0;
    for (api->xPhraseFirst(context, phrase, &at, &column, &offset); column >= 0;
         api->xPhraseNext(context, &at, &column, &offset)) {
      ++count;
    }
    if (count) hits.words.emplace_back(phrase, count);
  }
  sqlite3_result_int(result, 0);
}

// The five best rows by their own words: the least work of a ranker over FTS5.
std::vector<int64_t> BestOfHits(size_t phrases) {
  std::vector<double> rows_with(phrases), best;
  for (const Hits& hits : g_hits)
    for (auto [phrase, count] : hits.words) ++rows_with[static_cast<size_t>(phrase)];
  std::vector<std::pair<double, int64_t>> scored;
  const auto rows = static_cast<double>(g_hits.size());
  for (const Hits& hits : g_hits) {
    double score = 0;
    for (auto [phrase, count] : hits.words) {
      score +=
          std::log(1 + rows / rows_with[static_cast<size_t>(phrase)]) * count * 1.9 / (count + 0.9);
    }
    scored.emplace_back(-score, hits.row & 0xFFFFFFFF);
  }
  const size_t kept = std::min<size_t>(5, scored.size());
  std::partial_sort(scored.begin(), scored.begin() + static_cast<std::ptrdiff_t>(kept),
                    scored.end());
  std::vector<int64_t> ids;
  for (size_t i = 0; i < kept; ++i) ids.push_back(scored[i].second);
  return ids;
}

std::string Joined(const std::string& words, const char* between, size_t& count) {
  std::istringstream in(words);
  std::string joined;
  count = 0;
  for (std::string word; in >> word; ++count) joined += (count ? between : "") + ('"' + word + '"');
  return joined;
}

void Time(const char* name, const std::vector<Line>& questions,
          const std::function<void(const Line&)>& ask, const char* end) {
  std::vector<double> times;
  const double begin = NowUs();
  for (int round = 0; round < 2; ++round) {  // the first warms the cache
    times.clear();
    for (const Line& question : questions) {
      const double start = NowUs();
      ask(question);
      times.push_back(NowUs() - start);
      if (NowUs() - begin > 20e6 && times.size() > 20) break;
    }
  }
  std::printf("\"%s\": {\"p50_us\": %.1f, \"p99_us\": %.1f}%s", name, At(times, .5), At(times, .99),
              end);
}

// Times a search as the server could do it with FTS5 alone: the project's rowids, hits, five rows.
void TimeRanked(sqlite3* db, const std::string& project, const std::vector<Line>& questions) {
  size_t count = 0;
  fts5_api* api = nullptr;
  sqlite3_stmt* entry = Prepare(db, "SELECT fts5(?1)");
  sqlite3_bind_pointer(entry, 1, &api, "fts5_api_ptr", nullptr);
  sqlite3_step(entry);
  api->xCreateFunction(api, "hits", nullptr, TakeHits, nullptr);
  sqlite3_stmt* number = Prepare(db, "SELECT number FROM numbers WHERE project = ?1");
  Bind(number, 1, project);
  sqlite3_step(number);
  const int64_t range = sqlite3_column_int64(number, 0) << 32;
  sqlite3_stmt* hits = Prepare(db,
                               "SELECT hits(ranged) FROM ranged WHERE ranged MATCH ?1 AND "
                               "rowid BETWEEN ?2 AND ?3");
  sqlite3_stmt* fetch = Prepare(db, "SELECT type, title, content FROM observations WHERE id = ?1");
  Time(
      "ranked_by_fts5", questions,
      [&](const Line& question) {
        g_hits.clear();
        Bind(hits, 1, Joined(question.second, " OR ", count));
        sqlite3_bind_int64(hits, 2, range);
        sqlite3_bind_int64(hits, 3, range | 0xFFFFFFFF);
        Run(hits);
        for (int64_t id : BestOfHits(count)) {
          sqlite3_bind_int64(fetch, 1, id);
          Run(fetch);
        }
      },
      "}\n");
}

int Read(const char* path, const std::string& project, const char* file) {
  sqlite3* db = nullptr;
  Must(db, sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK, path);
  Execute(db, "PRAGMA cache_size=-400000");
  const std::vector<Line> questions = ReadLines(file);
  sqlite3_stmt* joined =
      Prepare(db,
              "SELECT o.id, o.type, o.title, o.content, bm25(found) AS rank FROM found f JOIN "
              "observations o ON o.id = f.rowid WHERE found MATCH ?1 AND o.project = ?2 AND "
              "o.deleted_at IS NULL ORDER BY rank LIMIT 5");
  sqlite3_stmt* newest = Prepare(db,
                                 "SELECT id, type, title, content FROM observations WHERE "
                                 "project = ?1 AND deleted_at IS NULL ORDER BY created_at "
                                 "DESC LIMIT 5");
  size_t count = 0;
  auto ask = [&](const std::string& match) {
    Bind(joined, 1, match);
    Bind(joined, 2, project);
    Run(joined);
  };
  std::printf("{");
  Time(
      "reference_and", questions,
      [&](const Line& question) {
        ask(Joined(question.first, " ", count));
        Bind(newest, 1, project);
        Run(newest);
      },
      ", ");
  Time(
      "reference_or", questions,
      [&](const Line& question) { ask(Joined(question.second, " OR ", count)); }, ", ");

  TimeRanked(db, project, questions);
  return 0;
}

int Write(const std::string& folder, const char* file, double seconds) {
  const std::string path = folder + "/reference.db";
  sqlite3* db = Make(path, "PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL");
  const std::vector<Line> rows = ReadLines(file);
  size_t count = 0;
  const double begin = NowUs();
  double end = begin;
  for (ReferenceWrite write(db); end - begin < seconds * 1e6; end = NowUs()) {
    Execute(db, "BEGIN IMMEDIATE");
    write(rows[count % rows.size()], count);
    Execute(db, "COMMIT");
    ++count;
  }
  std::printf("{\"writes_per_s\": %.1f}\n", static_cast<double>(count) / ((end - begin) / 1e6));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "disk" && argc == 4) return Disk(argv[2], std::atof(argv[3]));
  if (what == "build" && argc == 4) return Build(argv[2], argv[3]);
  if (what == "read" && argc == 5) return Read(argv[2], argv[3], argv[4]);
  if (what == "write" && argc == 5) return Write(argv[2], argv[3], std::atof(argv[4]));
  std::fprintf(stderr, "see the head of scripts/bench/reference_replay.cc\n");
  return 64;
}
