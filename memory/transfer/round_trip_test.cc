// Whatever traces there are: what goes out comes in the same, and once.
#include <random>

#include "memory/made_formats_fixture.h"
#include "memory/transfer/agentos_fixture.h"

namespace memory {
namespace {

class RoundTripTest : public AgentOsFixture {
 protected:
  RoundTripTest() : seed_(std::random_device()()), random_(seed_) {
    RecordProperty("seed", std::to_string(seed_));
  }
  size_t Below(size_t most) { return random_() % most; }
  bool Sometimes() { return Below(3) == 0; }

  std::string Text(size_t most) {
    static constexpr const char* kPieces[] = {
        "tea",      " ",      "\n",    "\t",  "\"",     "\\",
        "{}",       "---",    "é",     "ß",   "日本語", "👩‍👩‍👧",
        "\xC2\xA0", "# h",    "[[w]]", "<b>", ",",      ";",
        "null",     "\u202E", "0",     "'",   "SELECT", "\x7F",
        "ﬁ",        "e\u0301"};
    std::string text = "x";
    for (size_t i = Below(most); i > 0; --i) text += kPieces[Below(std::size(kPieces))];
    return text;
  }
  Json Value(size_t depth) {
    switch (Below(depth > 3 ? 5 : 7)) {
      case 0:
        return nullptr;
      case 1:
        return Sometimes();
      case 2:
        return static_cast<int64_t>(random_()) - (int64_t{1} << 31);
      case 3:
        return static_cast<double>(random_()) / 7919.0;
      case 4:
        return Text(6);
      case 5: {
        Json list = Json::array();
        for (size_t i = Below(3); i > 0; --i) list.push_back(Value(depth + 1));
        return list;
      }
      default:
        return Object(depth + 1);
    }
  }
  Json Object(size_t depth = 0) {
    Json object = Json::object();
    for (size_t i = Below(4); i > 0; --i) object[Text(3)] = Value(depth);
    return object;
  }
  template <size_t N>
  const char* OneOf(const char* const (&words)[N]) {
    return words[Below(N)];
  }

  void AddTrace(int number) {
    static constexpr const char* kKinds[] = {"episodic", "semantic", "procedural", "prospective"};
    static constexpr const char* kScopes[] = {"thread", "user", "persona", "organization"};
    static constexpr const char* kNames[] = {"", "ann", "bob"};
    Json body = {{"content", Text(40) + std::to_string(number)},
                 {"type", OneOf(kKinds)},
                 {"scope", OneOf(kScopes)},
                 {"project", Sometimes() ? "Other project" : "default"}};
    for (size_t i = Below(5); i > 0; --i) body["tags"].push_back(Text(4));
    if (Sometimes()) body["emotions"] = Object();
    if (Sometimes()) body["metadata"] = Object();
    if (Sometimes()) body["conversation"] = "c" + std::to_string(Below(3));
    if (body["type"] == "prospective" && Sometimes())
      body["remindAt"] = static_cast<int64_t>(random_()) * 1000;
    const std::string user = OneOf(kNames), agent = OneOf(kNames);
    const Answered added = Call("POST", "/traces", body, user, agent);
    EXPECT_TRUE(added.status == 201 || added.status == 200) << added.body << body;
    // An edge to one that the same caller made.
    std::vector<std::string>& mine = ids_[body["project"].get<std::string>() + user + agent];
    mine.push_back(added.body.value("traceId", ""));
    if (mine.size() > 1 && Sometimes()) {
      const std::string target =
          "/traces/" + mine.back() + "/edges/" + mine[Below(mine.size() - 1)] +
          "?project=" + (body["project"] == "default" ? "default" : "Other%20project") +
          "&conversation=" + body.value("conversation", "");
      Call("PUT", target, {{"kind", Text(3)}, {"weight", static_cast<double>(Below(1000)) / 999}},
           user, agent);
    }
  }

  unsigned seed_;
  std::mt19937 random_;
  std::map<std::string, std::vector<std::string>> ids_;
};

TEST_F(RoundTripTest, EveryFormatKeepsEveryTraceOnce) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  for (int i = 0; i < 120; ++i) {
    AddTrace(i);
    if (Sometimes()) clock_.Advance(static_cast<int64_t>(Below(static_cast<size_t>(kDayMs))));
    if (Sometimes()) Found({{"query", "tea null"}});
    if (i % 10 == 0) MustPost(NoteBody("observation " + std::to_string(i), "default"));
  }
  const Json brain = Sorted(ExportAgentOs());
  ASSERT_GE(brain["traces"].size(), 100u);
  ASSERT_FALSE(brain["edges"].empty());
  for (const std::string& format : Made({"agentos-json", "json", "jsonl", "sqlite"})) {
    SCOPED_TRACE(format);
    const std::string text = ExportText(format);
    StartEmpty();
    const Json report = PostText("/import", text).body;
    EXPECT_EQ(report["errors"], Json::array());
    const Json here = Sorted(ExportAgentOs());
    ASSERT_EQ(here["traces"].size(), brain["traces"].size());
    for (size_t i = 0; i < here["traces"].size(); ++i)
      ASSERT_EQ(here["traces"][i], brain["traces"][i]);
    ASSERT_EQ(here, brain);
    const Json again = PostText("/import", text).body;
    EXPECT_EQ(again["imported"], 0) << again;
    EXPECT_EQ(again["imported_edges"], 0) << again;
    EXPECT_EQ(again["errors"], Json::array());
    EXPECT_EQ(Sorted(ExportAgentOs()), brain);
  }
}

}  // namespace
}  // namespace memory
