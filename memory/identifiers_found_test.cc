// Identifiers on every route that takes a query, with the table of vectors that the server has: 200
// memories, of which 40 name an identifier; each of these is found first and alone, and 50 that no
// memory has find nothing (episodes answer with the nearest, as their document says).
#include <random>

#include "memory/api/api_fixture.h"
#include "memory/embedders.h"

namespace memory {
namespace {

constexpr unsigned kSeed = 20261128;

class Forms {
 public:
  std::string Next() {
    switch (form_++ % 14) {
      case 0:
        return Hex(8) + "-" + Hex(4) + "-4" + Hex(3) + "-a" + Hex(3) + "-" + Hex(12);
      case 1:
        return Hex(40);
      case 2:
        return "OPS-" + Digits(4);
      case 3:
        return "10." + Octet() + "." + Octet() + "." + Octet();
      case 4:
        return "v" + Digits(1) + "." + Digits(2) + "." + Digits(2);
      case 5:
        return "20" + Digits(2) + "-03-1" + Digits(1) + "T04:1" + Digits(1) + ":06Z";
      case 6:
        return "ops" + Digits(3) + "@mail" + Digits(2) + ".example.com";
      case 7:
        return "/srv/" + Name() + "/" + Name() + ".toml";
      case 8:
        return Name() + "_" + Name() + "_" + Digits(2);
      case 9:
        return "2001:db8:" + Hex(4) + "::" + Digits(2);
      case 10:
        return "#" + Digits(5);
      case 11:
        return Name() + "-7d9f8b" + Hex(4) + "-" + Hex(5);
      case 12:
        return "0x" + Hex(8);
      default:
        return "sha256:" + Hex(64);
    }
  }

 private:
  size_t Below(size_t n) { return random_() % n; }
  std::string Of(std::string_view letters, size_t n) {
    std::string text;
    for (size_t i = 0; i < n; ++i) text += letters[Below(letters.size())];
    return text;
  }
  std::string Hex(size_t n) { return Of("0123456789abcdef", n); }
  std::string Digits(size_t n) { return Of("123456789", n); }
  std::string Octet() { return std::to_string(1 + Below(254)); }
  std::string Name() { return Of("bcdfghklmnprstvz", 5); }

  std::mt19937 random_{kSeed};
  size_t form_ = 0;
};

std::string Sentence(size_t i) {
  static const char* const kWho[] = {"The gateway", "Our pipeline", "The release of the team",
                                     "A customer", "The scheduler"};
  static const char* const kWhat[] = {"failed with status 503",
                                      "waits for a lease of the database",
                                      "was closed by the night shift",
                                      "is served from the cache",
                                      "prefers short answers",
                                      "runs behind the load balancer",
                                      "broke the build"};
  static const char* const kWhen[] = {"in the morning", "after the deployment", "during the audit",
                                      "while it rained"};
  return std::string(kWho[i % 5]) + " " + kWhat[i / 5 % 7] + " " + kWhen[i / 35 % 4];
}

class IdentifiersFound : public ApiTest {
 protected:
  IdentifiersFound() {
    server_.reset();
    ServerSettings settings;
    settings.data_dir = scratch_.File("meaning");
    EmbeddingSettings embedding;
    embedding.on = true;
    embedding.table = "share/agent-memory-server/embedding.table";
    settings.store.embedder = MakeEmbedder(embedding);
    settings.store.query_deadline_ms = 60'000;
    auto server = StartServer(settings);
    EXPECT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    client_ = Connect(server_->api_address());
    for (size_t i = 0; i < 200; ++i) Store(i);
  }

  // A memory in each of the three kinds; each kind has a project of its own.
  void Store(size_t i) {
    std::string text = Sentence(i);
    if (i % 5 == 0) {
      known_.push_back(forms_.Next());
      text += ", see " + known_.back() + " for more.";
    } else {
      text += ", says the report of part " + std::string(1, static_cast<char>('a' + i % 26)) + ".";
    }
    MustPost(NoteBody(text, "notes"));
    const std::string project = "?project=traces";
    Answered trace = Post("/traces" + project, {{"content", text}});
    EXPECT_TRUE(trace.status == 201 || trace.status == 200) << trace.body;
    Answered item = Send(*client_, "PUT", "/items/fact-" + std::to_string(i) + "?project=items",
                         Json{{"value", text}}.dump());
    EXPECT_TRUE(item.status == 201 || item.status == 200) << item.body;
  }

  // The texts that each route answers with, by what found them: rows that fill a context up by
  // their time are left out.
  std::map<std::string, std::vector<std::string>> Answers(const std::string& query) {
    const std::string q = http::PercentEncode(query);
    std::map<std::string, std::vector<std::string>> all;
    auto take = [&](const std::string& route, const Json& rows, const char* field) {
      all[route];
      for (const Json& row : rows)
        if (row.value("method", "") != "recency") all[route].push_back(row.at(field));
    };
    take("search", Get("/search?project=notes&q=" + q).body, "content");
    take("search as_of", Get("/search?project=notes&as_of=2030-01-01T00:00:00Z&q=" + q).body,
         "content");
    take("context", Get("/context?project=notes&query=" + q).body["recent_observations"],
         "content");
    take("items", Get("/items?project=items&query=" + q).body["items"], "value");
    const Answered traces = Post("/traces/search?project=traces", {{"query", query}});
    EXPECT_EQ(traces.status, 200) << traces.body;
    take("traces", traces.body["results"], "content");
    const Answered rendered = Get("/items/render?project=items&query=" + q);
    EXPECT_EQ(rendered.status, 200) << rendered.body;
    rendered_ = rendered.body.value("items", Json(1)).size();
    return all;
  }

  Forms forms_;
  std::vector<std::string> known_;
  size_t rendered_ = 0;  // items in the text for a prompt
};

TEST_F(IdentifiersFound, KnownOnesFirstAndAloneUnknownOnesNowhere) {
  ASSERT_EQ(known_.size(), 40U);
  for (const std::string& known : known_) {
    for (const auto& [route, texts] : Answers(known)) {
      ASSERT_EQ(texts.size(), 1U) << route << ": " << known << ", seed " << kSeed;
      EXPECT_NE(texts[0].find(known), std::string::npos) << route << ": " << known;
    }
    EXPECT_EQ(rendered_, 1U) << known;
  }
  for (int i = 0; i < 50; ++i) {
    const std::string unknown = forms_.Next();
    for (const auto& [route, texts] : Answers(unknown))
      EXPECT_EQ(texts, std::vector<std::string>())
          << route << ": " << unknown << ", seed " << kSeed;
    EXPECT_EQ(rendered_, 0U) << unknown;
  }
}

}  // namespace
}  // namespace memory
