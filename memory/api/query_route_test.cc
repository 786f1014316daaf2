// What people and programs put into q and query: languages, operators, and what no one should send.
// Every answer is 200 or 400.
#include <random>

#include "memory/api/api_fixture.h"

namespace memory {
namespace {

class Query : public ApiTest {
 protected:
  using Ids = std::vector<int64_t>;
  Answered Ask(const std::string& text, const std::string& more = "") {
    return Get("/search?q=" + http::PercentEncode(text) + more);
  }
  Ids Find(const std::string& text, const std::string& more = "") {
    Answered answer = Ask(text, more);
    EXPECT_EQ(answer.status, 200) << text << answer.body;
    return answer.status == 200 ? IdsOf(answer.body) : Ids();
  }
  Ids Fts5(const std::string& text) { return Find(text, "&syntax=fts5"); }
};

TEST_F(Query, Fts5SyntaxEnablesOperators) {
  MustPost(NoteBody("the deployment timed out on the staging cluster"));
  MustPost(NoteBody("deployments of the staging area are fine"));
  MustPost(NoteBody("cluster autoscaling is off"));
  auto sorted = [](Ids ids) {
    std::sort(ids.begin(), ids.end());
    return ids;
  };
  EXPECT_EQ(sorted(Fts5("deployments")), (Ids{1, 2}));  // a word is stemmed
  EXPECT_EQ(Fts5("\"staging cluster\""), (Ids{1}));
  EXPECT_EQ(Fts5("\"cluster staging\""), (Ids{}));
  EXPECT_EQ(Fts5("deployment AND cluster"), (Ids{1}));
  EXPECT_EQ(Fts5("deployment cluster"), (Ids{1}));  // FTS5's own meaning of a blank
  EXPECT_EQ(sorted(Fts5("fine OR autoscaling")), (Ids{2, 3}));
  EXPECT_EQ(Fts5("cluster NOT staging"), (Ids{3}));
  EXPECT_EQ(Fts5("autosc*"), (Ids{3}));
  EXPECT_EQ(Fts5("(fine OR off) AND cluster"), (Ids{3}));
  EXPECT_EQ(Fts5("NEAR(staging cluster, 2)"), (Ids{1}));
  EXPECT_EQ(Fts5("nothing"), (Ids{}));
}

TEST_F(Query, MalformedExpressionIs400WithItsReason) {
  MustPost(NoteBody("alpha beta"));
  for (std::string text : {"alpha AND", "(alpha", "alpha)", "\"alpha", "NOT alpha", "alpha NEAR(",
                           "nocolumn:alpha", "*", "-alpha", "alpha ^", "'", "alpha AND (", "{",
                           "*reads", "*id", "^*", "alpha + ", "alpha.beta"}) {
    Answered answer = Ask(text, "&syntax=fts5");
    EXPECT_EQ(answer.status, 400) << text;
    EXPECT_EQ(answer.body["code"], "invalid");
    std::string error = answer.body["error"];
    EXPECT_EQ(error.find("q is not a valid FTS5 expression: "), 0u) << error;
    EXPECT_EQ(error.find("SQLite"), std::string::npos) << error;
    // Without the syntax it is words like any other.
    EXPECT_EQ(Ask(text).status, 200) << text;
  }
}

TEST_F(Query, ExpressionLimitIsTwoThousandCharacters) {
  MustPost(NoteBody("alpha beta"));
  std::string text = "alpha";
  while (text.size() + 9 <= 2000) text += " OR alpha";
  EXPECT_NE(Ask(text, "&syntax=fts5").status, 500);
  text += std::string(2001 - text.size(), ' ');
  EXPECT_EQ(Ask(text, "&syntax=fts5").body["error"],
            "q has 2001 characters, the limit is 2000 with syntax=fts5");
  EXPECT_EQ(Find(text), (Ids{1}));
}

TEST_F(Query, SentenceMatchesRowsWithSomeOfItsWords) {
  MustPost(NoteBody("The linker reports an undefined reference when libfoo is missing"));
  MustPost(NoteBody("Coffee is in the kitchen"));
  EXPECT_EQ(Find("Hi there! Why does the build of our service fail with a linker error, please?"),
            (Ids{1}));
  EXPECT_EQ(Find("where did you say the coffee was"), (Ids{2}));
}

TEST_F(Query, AccentsAreFoldedInQueryAndText) {
  MustPost(NoteBody("Die Prüfung läuft im Café"));
  MustPost(NoteBody("resume of the naive facade"));
  EXPECT_EQ(Find("cafe"), (Ids{1}));
  EXPECT_EQ(Find("PRUFUNG"), (Ids{1}));
  EXPECT_EQ(Find("Prüfung"), (Ids{1}));  // composed
  EXPECT_EQ(Find("Pru\xcc\x88"
                 "fung"),
            (Ids{1}));  // decomposed
  EXPECT_EQ(Find("résumé"), (Ids{2}));
  EXPECT_EQ(Find("naïve façade"), (Ids{2}));
}

TEST_F(Query, CjkMatchesOneTwoAndThreeCharacters) {
  MustPost(NoteBody("我们的数据库很快"));
  MustPost(NoteBody("会議は東京で開きます"));
  MustPost(NoteBody("서울에서 회의가 있습니다"));
  MustPost(NoteBody("カタカナ"));
  for (const auto& [text, id] :
       std::vector<std::pair<std::string, int64_t>>{{"库", 1},
                                                    {"数据", 1},
                                                    {"数据库", 1},
                                                    {"東", 2},
                                                    {"東京", 2},
                                                    {"東京で", 2},
                                                    {"울", 3},
                                                    {"서울", 3},
                                                    {"서울에", 3},
                                                    {"カ", 4},
                                                    {"カタ", 4},
                                                    {"カタカ", 4},
                                                    {"我们的数据库很快", 1}}) {
    Ids found = Find(text);
    ASSERT_FALSE(found.empty()) << text;
    EXPECT_EQ(found[0], id) << text;
  }
  EXPECT_EQ(Find("猫"), (Ids{}));
  EXPECT_EQ(Find("犬猫"), (Ids{}));
}

TEST_F(Query, ArabicCyrillicAndEmojiAreSearchable) {
  MustPost(NoteBody("النشر فشل في المرحلة"));
  MustPost(NoteBody("деплой упал 🚀"));
  EXPECT_EQ(Find("فشل"), (Ids{1}));
  EXPECT_EQ(Find("ДЕПЛОЙ"), (Ids{2}));
  EXPECT_EQ(Find("🚀🚀🚀 деплой 👩‍👩‍👧"), (Ids{2}));
  EXPECT_EQ(Ask("👩‍👩‍👧").status, 200);
}

TEST_F(Query, TenKilobyteQueryIsAnsweredAndNulRefused) {
  MustPost(NoteBody("zeppelin"));
  std::string text = "zeppelin";
  while (text.size() < 10'000) text += " word" + std::to_string(text.size());
  EXPECT_EQ(Find(text), (Ids{1}));
  EXPECT_EQ(Find(std::string(10'000, 'x') + " zeppelin"), (Ids{1}));
  std::string cjk = "zeppelin ";
  while (cjk.size() < 4'000) cjk += "语";
  EXPECT_EQ(Find(cjk), (Ids{1}));
  EXPECT_EQ(Get("/search?q=a%00b").status, 400);
  EXPECT_EQ(Get("/context?query=a%00b").status, 400);
  EXPECT_EQ(Get("/search?q=%ff%fe").status, 400);
}

// A text of pieces that mean something to FTS5, to SQL, to HTTP, or to nobody.
std::string RandomQuery(std::mt19937& random) {
  static const std::string kPieces[] = {"alpha",
                                        "beta",
                                        "gamma*",
                                        "\"",
                                        "\"\"",
                                        "'",
                                        "''",
                                        "(",
                                        ")",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        "^",
                                        "*",
                                        "+",
                                        "-",
                                        ":",
                                        "title:",
                                        "grams:",
                                        "AND",
                                        "OR",
                                        "NOT",
                                        "NEAR",
                                        "NEAR(",
                                        ", 3)",
                                        ";--",
                                        "%",
                                        "_",
                                        "\\",
                                        "/",
                                        "a/b/c",
                                        "语",
                                        "数据库",
                                        "é",
                                        "e\xcc\x81",
                                        "🚀",
                                        "\t",
                                        "\n",
                                        "\x01",
                                        "rank",
                                        "rowid",
                                        "words",
                                        "*reads",
                                        "content",
                                        "?1",
                                        "{title content}:",
                                        "1e999",
                                        "=",
                                        "&"};
  std::uniform_int_distribution<size_t> pick(0, std::size(kPieces) - 1), many(0, 12), one(0, 9);
  std::string text;
  for (size_t left = many(random) * (one(random) == 0 ? 40 : 1) + 1; left > 0; --left) {
    if (one(random) == 0)
      text += static_cast<char>(random() % 256);
    else
      text += kPieces[pick(random)];
    if (one(random) < 6) text += ' ';
  }
  return text;
}

TEST_F(Query, RandomQueriesGet200Or400) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::cout << "seed " << seed << std::endl;
  std::mt19937 random(seed);
  for (std::string text : {"alpha beta gamma", "beta 数据库", "Café alpha \"quoted\"", "a/b/c"}) {
    Json body = NoteBody(text);
    body["topic_key"] = text;
    MustPost(body);
  }
  const std::string ways[] = {"/search?q=", "/search?syntax=fts5&q=", "/context?query=",
                              "/search?as_of=2030-01-01T00:00:00Z&syntax=fts5&q="};
  int answered[2] = {0, 0};
  for (int i = 0; i < 2400 && !HasFailure(); ++i) {
    std::string text = RandomQuery(random);
    std::string target = ways[i % 4] + http::PercentEncode(text);
    if (target.size() > 15'000) continue;
    Answered answer = Get(target);
    ASSERT_TRUE(answer.status == 200 || answer.status == 400)
        << answer.status << " for " << target << ": " << answer.body;
    ++answered[answer.status == 400];
  }
  EXPECT_GT(answered[0], 200);
  EXPECT_GT(answered[1], 200);
  EXPECT_GE(answered[0] + answered[1], 2000);
  EXPECT_EQ(Find("gamma").size(), 1u);
}

}  // namespace
}  // namespace memory
