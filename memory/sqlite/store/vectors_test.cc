// Search by meaning: its results, and that no vector outlives its text.
#include <map>

#include "lib/sqlite/database.h"
#include "memory/sqlite/store/store_fixture.h"
#include "memory/sqlite/tables/schema.h"
#include "memory/store/embedder.h"

namespace memory {
namespace {

// Knows a few words, by what they mean.
class FewWords : public Embedder {
 public:
  explicit FewWords(int64_t model = 7) : model_(model) {}
  int64_t model() const override { return model_; }
  size_t dimensions() const override { return 4; }
  FusionWeights weights() const override { return {0.25, false, 0.3F}; }
  std::vector<int8_t> Embed(std::string_view text) const override {
    const std::map<std::string_view, size_t> meanings = {
        {"car", 0},  {"vehicle", 0}, {"automobile", 0}, {"bread", 1},
        {"loaf", 1}, {"garden", 2},  {"lawn", 2},       {"music", 3}};
    std::vector<int8_t> values(4);
    bool known = false;
    for (const auto& [word, dimension] : meanings) {
      if (text.find(word) == std::string_view::npos) continue;
      values[dimension] = 100;
      known = true;
    }
    if (!known) values.clear();
    return values;
  }

 private:
  int64_t model_;
};

class Vectors : public StoreTest {
 protected:
  Vectors() { Restart(std::make_shared<FewWords>()); }
  void Restart(std::shared_ptr<const Embedder> embedder, bool resident = false) {
    StoreOptions options;
    options.embedder = std::move(embedder);
    options.index_bytes = resident ? 1 << 20 : 0;
    options.index_at_once = resident;
    options.query_deadline_ms = 60'000;
    Reopen(std::move(options));
  }
  // What the file holds; -1: no row.
  int64_t InFile(const char* sql) {
    sqlite::Database::Options reading;
    reading.access = sqlite::Access::kReader;
    auto database = sqlite::Database::Open(scratch_.File("store"), reading);
    EXPECT_TRUE(database);
    auto read = database->Prepare(sql);
    EXPECT_TRUE(read);
    auto row = read->Step();
    return row && *row ? read->Int(0) : -1;
  }
  int64_t CountVectors() { return InFile("SELECT count(*) FROM vectors"); }
  // A session each, so that no row lends to another.
  int64_t Keep(const std::string& content, const std::string& project = "p") {
    api::NewObservation note = Note(content, project);
    note.session_id = "of " + content + project;
    return MustSave(note).id;
  }
  static ExportedRow Row(int64_t id, const std::string& content) {
    ExportedRow row;
    row.row.id = id;
    row.row.session_id = "of " + content;
    row.row.project = "p";
    row.row.type = "discovery";
    row.row.scope = "project";
    row.row.title = "imported, by hand";
    row.row.content = content;
    row.row.created_ms = row.row.updated_ms = row.row.last_seen_ms = kMidnight;
    return row;
  }
  std::vector<Found> Ask(const std::string& text, const Filter& filter, bool recall = false) {
    auto found = recall ? store_->Recall(filter, text) : store_->Search(filter, text, false);
    EXPECT_TRUE(found) << found.error().message;
    EXPECT_FALSE(found && found->partial);
    return found ? found->rows : std::vector<Found>();
  }
  int64_t FillAll() {
    int64_t steps = 0;
    for (Result more = true; more && *more; ++steps) more = store_->FillVectors();
    return steps;
  }
  using Result = base::Result<bool>;
};

TEST_F(Vectors, SynonymsAreFound) {
  for (bool resident : {false, true}) {
    SCOPED_TRACE(resident);
    scratch_.Remove("store");
    Restart(std::make_shared<FewWords>(), resident);
    const int64_t car = Keep("the car is red"), loaf = Keep("a loaf of rye");
    const int64_t both = Keep("the vehicle needs oil");
    const auto rows = Ask("which vehicle", In("p"));
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].row.id, both);
    EXPECT_STREQ(rows[0].method, "fused");
    ASSERT_TRUE(rows[0].scores);
    EXPECT_GT(rows[0].scores->lexical, 0);
    EXPECT_NEAR(*rows[0].scores->similarity, 1, 1e-6);
    EXPECT_EQ(rows[1].row.id, car);
    EXPECT_EQ(rows[1].scores->lexical, 0);
    EXPECT_LT(rows[0].rank, rows[1].rank);
    EXPECT_LT(rows[1].rank, 0);
    for (const Found& found : Ask("bread", In("p"))) EXPECT_EQ(found.row.id, loaf);
    // A question that says nothing known is answered by words, as without vectors.
    const auto words = Ask("oil", In("p"));
    ASSERT_EQ(words.size(), 1U);
    EXPECT_STREQ(words[0].method, "fts5_bm25");
    EXPECT_FALSE(words[0].scores);
    // An expression is about words.
    auto expression = store_->Search(In("p"), "vehicle", true);
    ASSERT_TRUE(expression && expression->rows.size() == 1);
    EXPECT_FALSE(expression->rows[0].scores);
  }
}

TEST_F(Vectors, FiltersApplyToVectorHits) {
  const int64_t mine = Keep("my car"), theirs = Keep("their car", "q");
  api::NewObservation note = Note("a car for all", "q");
  note.session_id = "g";
  note.scope = "global";
  const int64_t shared = MustSave(note).id;
  note = Note("an audited car");
  note.session_id = "a";
  note.type = "audit";
  const int64_t audit = MustSave(note).id;
  auto ids = [&](const Filter& filter) {
    std::set<int64_t> found;
    for (const Found& row : Ask("automobile", filter)) found.insert(row.row.id);
    return found;
  };
  EXPECT_EQ(ids(In("p")), (std::set<int64_t>{mine, shared}));
  EXPECT_EQ(ids({}), (std::set<int64_t>{mine, theirs, shared}));
  Filter filter = In("p");
  filter.type = "audit";
  EXPECT_EQ(ids(filter), std::set<int64_t>{audit});
  filter = In("p");
  filter.scope = "project";
  EXPECT_EQ(ids(filter), std::set<int64_t>{mine});
}

TEST_F(Vectors, ChangedOrDeletedTextDropsItsVector) {
  for (bool resident : {false, true}) {
    SCOPED_TRACE(resident);
    scratch_.Remove("store");
    Restart(std::make_shared<FewWords>(), resident);
    const int64_t id = Keep("my car"), other = Keep("the lawn");
    ASSERT_EQ(Ask("automobile", In("p")).size(), 1U);
    Patch patch;
    patch.content = "my loaf";
    ASSERT_TRUE(store_->Update(id, patch, kMidnight + kMinute));
    EXPECT_TRUE(Ask("automobile", In("p")).empty());
    EXPECT_EQ(Ask("bread", In("p")).size(), 1U);
    patch.content = "nothing known";
    ASSERT_TRUE(store_->Update(id, patch, kMidnight + 2 * kMinute));
    EXPECT_TRUE(Ask("bread", In("p")).empty());
    EXPECT_EQ(CountVectors(), 1);
    ASSERT_TRUE(store_->Delete(other, false, kMidnight + 3 * kMinute));
    EXPECT_TRUE(Ask("garden", In("p")).empty());
    ASSERT_TRUE(store_->Delete(other, true, kMidnight + 4 * kMinute));
    EXPECT_EQ(CountVectors(), 0);
  }
}

TEST_F(Vectors, ExistingRowsGetVectorsInTheBackground) {
  Restart(nullptr);
  std::vector<ExportedRow> rows;
  for (int i = 1; i <= 700; ++i) rows.push_back(Row(i, "car number " + std::to_string(i)));
  ASSERT_TRUE(store_->Import(rows, {}));
  EXPECT_EQ(CountVectors(), 0);
  Restart(std::make_shared<FewWords>());
  EXPECT_TRUE(Ask("automobile", In("p")).empty());
  const int64_t now = Keep("the newest car");
  auto more = store_->FillVectors();
  ASSERT_TRUE(more && *more);
  EXPECT_EQ(CountVectors(), 257);  // what has none yet stays lexical
  EXPECT_EQ(Ask("automobile", In("p")).size(), 10U);
  EXPECT_LE(FillAll(), 4);
  EXPECT_EQ(CountVectors(), 701);
  auto nothing = store_->FillVectors();
  EXPECT_TRUE(nothing && !*nothing);
  // Those of another model are made again; until then they are none.
  Restart(std::make_shared<FewWords>(8));
  EXPECT_TRUE(Ask("automobile", In("p")).empty());
  FillAll();
  EXPECT_EQ(InFile("SELECT count(*) FROM vectors WHERE model = 8"), 701);
  EXPECT_EQ(Ask("newest automobile", In("p")).front().row.id, now);
}

TEST_F(Vectors, NoEmbedderUsesNoVectorAndKeepsNoStaleOne) {
  const int64_t id = Keep("my car");
  Restart(nullptr);
  EXPECT_TRUE(Ask("automobile", In("p")).empty());
  for (const Found& found : Ask("car", In("p"), true)) EXPECT_FALSE(found.scores);
  Patch patch;
  patch.title = "another title";
  ASSERT_TRUE(store_->Update(id, patch, kMidnight + kMinute));
  EXPECT_EQ(CountVectors(), 0);
}

TEST_F(Vectors, ExpiredAndAsOfRowsAreNotFoundByVector) {
  const int64_t id = Keep("my car");
  Filter filter = In("p");
  filter.as_of_ms = kMidnight + kMinute;
  EXPECT_TRUE(Ask("automobile", filter).empty());  // words alone, of that time
  EXPECT_EQ(Ask("car", filter).front().row.id, id);
  auto rules = DecodeRetention(*base::ParseJson(R"([{"type": "*", "ttl": "1h"}])"));
  ASSERT_TRUE(rules) << rules.error().message;
  ASSERT_TRUE(store_->SetRetention("p", *rules));  // the row is of the year before
  EXPECT_TRUE(Ask("automobile", In("p")).empty());
}

TEST_F(Vectors, ImportedRowsGetVectors) {
  ASSERT_TRUE(store_->Import(std::vector<ExportedRow>{Row(5, "the lawn is dry")}, {}));
  EXPECT_EQ(Ask("garden", In("p")).size(), 1U);
}

}  // namespace
}  // namespace memory
