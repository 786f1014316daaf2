// What a text contains as a word, a query for that word finds: on disk, in the resident index, as
// of a time before, among traces, items and episodes.
#include <array>
#include <map>
#include <random>
#include <set>

#include "memory/sqlite/store/store_fixture.h"

namespace memory {
namespace {

using Names = std::vector<std::string>;

// Each letter in the ways in which people and programs write it.
const std::vector<std::vector<Names>>& Alphabets() {
  static const std::vector<std::vector<Names>> kAlphabets = {
      {{"a", "A", "ａ", "á", "a\u0301"},
       {"e", "é", "E\u0301", "É"},
       {"ss", "ß", "ẞ"},
       {"k", "K"},
       {"o", "ø", "Ö"},
       {"fi", "ﬁ"},
       {"l", "ł", "Ł"},
       {"n", "ñ", "N"},
       {"z", "ž"},
       {"t", "T"}},
      {{"α", "ά", "Α", "α\u0301"}, {"ω", "Ώ"}, {"σ", "ς", "Σ"}, {"β", "Β"}, {"η", "ή"}, {"ρ"}},
      {{"е", "ё", "Ё", "е\u0308"}, {"и", "И"}, {"ж", "Ж"}, {"й", "Й", "и\u0306"}, {"п"}, {"о"}},
      {{"ש", "שׁ", "ש\u05C1"}, {"ל", "לָ"}, {"ם"}, {"ב"}, {"ר", "רִ"}},
      {{"م", "مُ"}, {"ح"}, {"د", "دْ"}, {"ا", "أ", "آ"}, {"ك", "ک"}, {"ي", "ی"}},
      {{"हि"}, {"न्"}, {"दी"}, {"क"}, {"ष"}, {"\u0915\u093C", "\u0958"}},
      {{"த"}, {"மி"}, {"ழ்"}, {"க"}},
      {{"ก"}, {"ที่"}, {"ไ"}, {"น"}, {"ม"}, {"สู้"}},
      {{"ខ្"}, {"មែ"}, {"រ"}, {"ក"}},
      {{"မ"}, {"န်"}, {"ာ"}, {"ဘ"}},
      {{"数"}, {"据"}, {"库"}, {"連"}, {"\uF9DC", "隆"}, {"接"}},
      {{"が", "か\u3099"}, {"デ", "ﾃﾞ"}, {"タ", "ﾀ"}, {"い"}},
      {{"각", "\u1100\u1161\u11A8"}, {"나"}, {"다"}},
      {{"ა"}, {"ბ"}, {"გ"}, {"დ"}},
      {{"ա", "Ա"}, {"բ"}, {"գ", "Գ"}},
      {{"ሀ"}, {"ለ"}, {"መ"}},
      {{"Ꭰ"}, {"Ꭱ"}, {"Ꭲ"}},
      {{"𐐨", "𐐀"}, {"𐐩", "𐐁"}, {"𐐪"}},
      {{"𞤢", "𞤀"}, {"𞤣"}, {"𞤤"}},
      {{"བ"}, {"བོ"}, {"ད"}},
      {{"1", "１", "١"}, {"2", "۲"}, {"7", "７"}, {"0"}}};
  return kAlphabets;
}

class WordsFound : public StoreTest {
 protected:
  size_t Random(size_t below) {
    return std::uniform_int_distribution<size_t>(0, below - 1)(random_);
  }
  std::vector<size_t> Letters(size_t alphabet) {
    std::vector<size_t> letters(5 + Random(4));
    for (size_t& letter : letters) letter = Random(Alphabets()[alphabet].size());
    return letters;
  }
  std::string Write(size_t alphabet, const std::vector<size_t>& letters) {
    std::string word;
    for (size_t letter : letters) {
      const Names& ways = Alphabets()[alphabet][letter];
      word += ways[Random(ways.size())];
    }
    return word;
  }
  // Keeps a text in all ways, the observation also as an earlier text.
  void Keep(const std::string& text) {
    api::NewObservation note = Note(text);
    texts_[MustSave(note).id] = text;
    note = Note(text, "before");
    note.topic_key = "topic" + std::to_string(texts_.size());
    const int64_t id = MustSave(note).id;
    earlier_[id] = text;
    note.content = "something else";
    EXPECT_EQ(MustSave(note, kMidnight + 2 * kMinute).id, id);
    note = Note("tagged", "tags");
    note.title = "number " + std::to_string(texts_.size());
    note.content += std::to_string(texts_.size());
    note.tags = {text};
    tagged_[MustSave(note).id] = text;
    NewTrace trace;
    trace.content = text;
    traces_.project = "traces";
    auto added = store_->traces().Add(traces_, trace);
    EXPECT_TRUE(added) << added.error().message;
    const Cell item{"p", "key" + std::to_string(texts_.size()), base::DumpJson(text)};
    EXPECT_TRUE(store_->items().Put(item, {}));
    Episode episode;
    episode.project = "episodes";
    episode.conversation = item.key;
    episode.agent = "a";
    episode.summary = text;
    auto saved = store_->SaveEpisode(episode, {}, "", kMidnight);
    EXPECT_TRUE(saved) << saved.error().message;
  }
  void ExpectFound(const std::string& text, const std::string& query) {
    SCOPED_TRACE("\"" + text + "\" by \"" + query + "\"");
    auto holds = [&](const auto& rows, auto&& text_of) {
      return std::any_of(rows.begin(), rows.end(),
                         [&](const auto& row) { return text_of(row) == text; });
    };
    Filter filter = In("p");
    filter.limit = 200;
    EXPECT_TRUE(holds(Find(query, filter), [&](int64_t id) { return texts_[id]; }));
    filter.project = "tags";
    EXPECT_TRUE(holds(Find(query, filter), [&](int64_t id) { return tagged_[id]; })) << "tags";
    filter.project = "before";
    filter.as_of_ms = kMidnight + kMinute;
    EXPECT_TRUE(holds(Find(query, filter), [&](int64_t id) { return earlier_[id]; })) << "as of";
    TraceQuestion question;
    question.text = query;
    question.limit = 200;
    auto traces = store_->traces().Search(traces_, question);
    ASSERT_TRUE(traces) << traces.error().message;
    EXPECT_TRUE(holds(traces->rows, [](const FoundTrace& row) { return row.trace.content; }))
        << "traces";
    auto items = store_->items().Retrieve("p", query, 200);
    ASSERT_TRUE(items) << items.error().message;
    EXPECT_TRUE(holds(items->rows, [](const FoundItem& row) {
      return row.method == std::string("lexical")
                 ? base::ParseJson(row.item.value)->get<std::string>()
                 : "";
    })) << "items";
    EpisodeQuestion episodes{"episodes", query, "a", {}, 200, 0, {}};
    auto found = store_->SearchEpisodes(episodes);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_TRUE(holds(*found, [](const FoundEpisode& row) { return row.episode.summary; }))
        << "episodes";
  }
  void Reopen(bool resident) {
    StoreOptions options;
    options.index_bytes = resident ? 64 << 20 : 0;
    options.index_at_once = resident;
    options.query_deadline_ms = 60'000;
    StoreTest::Reopen(std::move(options));
  }

  std::mt19937 random_;
  std::map<int64_t, std::string> texts_, earlier_, tagged_;
  TraceContext traces_;
};

TEST_F(WordsFound, AllScriptsAndFormsAreFound) {
  const unsigned seed = std::random_device()();
  random_.seed(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  const Names borders = {" ", "\n", ", ", " (", "\" ", " «", "_",
                         "/", ".",  "-",  "::", "@",   "#",  "、"};
  const Names glued = {"日", "Q", "ж"};  // words of scripts that others follow without a blank
  const std::set<size_t> like_glued = {0, 1, 2, 10, 11, Alphabets().size() - 1};
  std::vector<std::pair<std::string, std::string>> asked;
  Reopen(false);
  for (int i = 0; i < 120; ++i) {
    const size_t alphabet = static_cast<size_t>(i) % Alphabets().size();
    const std::vector<size_t> letters = Letters(alphabet);
    const bool may_glue = !like_glued.contains(alphabet) && Random(2) == 0;
    const Names& before = may_glue ? glued : borders;
    const std::string text = "number " + std::to_string(i) + " foo" +
                             before[Random(before.size())] + Write(alphabet, letters) +
                             borders[Random(borders.size())] + "x";
    Keep(text);
    asked.emplace_back(text, Write(alphabet, letters));
  }
  for (const bool resident : {false, true}) {
    SCOPED_TRACE(resident ? "resident" : "on disk");
    Reopen(resident);
    for (const auto& [text, query] : asked) ExpectFound(text, query);
  }
  ExpectSound();
}

TEST_F(WordsFound, KnownIdentifierFindsItsRowAndUnknownNone) {
  const std::vector<std::array<std::string, 3>> kinds = {
      {"down: host 10.0.0.12", "down: host 10.0.12.0", "10.0.1.2"},
      {"release v1.2.3", "release v1.3.2", "v2.1.3"},
      {"done on 2024-01-05", "done on 2024-05-01", "2024-05-05"},
      {"see JIRA-123", "see JIRA-321", "JIRA-213"},
      {"the file /etc/nginx/nginx.conf", "the file /etc/nginx/site.conf", "/etc/nginx/else.conf"},
      {"request 8a1f0c52-77aa-4c1e-9d0b-0a1b2c3d4e5f",
       "request 8a1f0c52-77aa-4c1e-9d0b-0a1b2c3d4e50", "8a1f0c52-77aa-4c1e-9d0b-0a1b2c3d4e51"},
      {"commit 9f86d081884c7d65", "commit 9f86d081884c7d66", "9f86d081884c7d67"},
      {"mail ann@example.com", "mail bob@example.com", "eve@example.com"},
      {"call foo_bar.baz", "call foo_baz.bar", "bar_foo.baz"}};
  Reopen(false);
  std::map<std::string, int64_t> ids;
  for (const auto& kind : kinds)
    for (int i : {0, 1}) ids[kind[i]] = MustSave(Note(kind[i])).id;
  for (const bool resident : {false, true}) {
    Reopen(resident);
    for (const auto& kind : kinds) {
      for (int i : {0, 1}) {
        const std::string known = kind[i].substr(kind[i].rfind(' ') + 1);
        EXPECT_EQ(Find(known), Ids({ids[kind[i]]})) << known;
      }
      EXPECT_EQ(Find(kind[2]), Ids()) << kind[2];
    }
    EXPECT_EQ(Find("is host 10.0.12.0 down?")[0], ids["down: host 10.0.12.0"]);
    EXPECT_EQ(Find("2024-01-05 /etc/nginx/site.conf").size(), 2u);
  }
}

TEST_F(WordsFound, DeployFindsDeployment) {
  const int64_t id = MustSave(Note("The deployment failed")).id;
  for (const char* query : {"deploy", "deployed", "deploys", "deployments"})
    EXPECT_EQ(Find(query), Ids({id})) << query;
}

}  // namespace
}  // namespace memory
