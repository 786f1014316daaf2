// Detection rate for a thousand planted secrets of all kinds, and false positives in a hundred
// thousand lines without secrets (acceptance D11). Composes the values of pieces, so that no
// scanner reports them. Prints its figures and its seed.
#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>
#include <functional>
#include <random>

#include "lib/base/text/text.h"
#include "lib/redaction/redaction.h"

namespace redaction {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
const std::string kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", kHex = "0123456789abcdef";
const std::string kAlnum = kUpper + std::string(kLetters);

class Corpus {
 public:
  explicit Corpus(uint64_t seed) : random_(seed) {}

  std::string Of(std::string_view characters, size_t length) {
    std::string text;
    while (text.size() < length) text += characters[random_() % characters.size()];
    return text;
  }
  size_t Below(size_t limit) { return random_() % limit; }
  template <size_t N>
  std::string OneOf(const char* const (&texts)[N]) {
    return texts[random_() % N];
  }

  // A line of source, log or prose with `secret` in it.
  std::string Around(const std::string& secret) {
    const char* const before[] = {"",   "export X=", "  value: ",       "curl -H '",  "found (",
                                  "- ", "see \"",    "error: refused ", "{\"a\": \"", "日本語 "};
    const char* const after[] = {"", "'", ")", " at main.c:7", "\"}", "\nnext line", ", ok", " 🚀"};
    return OneOf(before) + secret + OneOf(after);
  }

  std::string BenignLine() {
    const char* const names[] = {"token",           "password", "secret_name", "api_key",
                                 "count",           "path",     "user_id",     "next_token_index",
                                 "accessKeyPolicy", "tokens"};
    const char* const values[] = {"string",
                                  "None",
                                  "required",
                                  "get_token()",
                                  "null",
                                  "128000",
                                  "config.password",
                                  "process.env.API_KEY",
                                  "${SECRET_NAME}",
                                  "<your-token-here>",
                                  "/etc/ssl/private",
                                  "undefined_reference",
                                  "kubernetes.io/service-account-token",
                                  "********"};
    switch (Below(10)) {
      case 0:
        return OneOf(names) + std::string(Below(2) ? " = " : ": ") + OneOf(values);
      case 1:
        return "commit " + Of(kHex, 40);
      case 2:
        return "image@sha256:" + Of(kHex, 64);
      case 3:
        return Of(kHex, 8) + "-" + Of(kHex, 4) + "-4" + Of(kHex, 3) + "-a" + Of(kHex, 3) + "-" +
               Of(kHex, 12);
      case 4:
        return "2026-04-12T10:00:0" + std::to_string(Below(10)) + "Z INFO request took " +
               std::to_string(Below(900)) + "ms path=/api/v1/" + Of(kLetters, 12);
      case 5:
        return "src/" + Of(kLetters, 8) + "/" + Of(kLetters, 12) +
               ".cc:" + std::to_string(Below(400)) + ": error: no member named '" +
               Of(kLetters, 20) + "'";
      case 6:
        return "https://" + Of(kLetters, 9) + ".example.org/" + Of(kAlnum, 22) + "?page=2";
      case 7:
        return "the " + Of(kLetters, 5) + " of a " + Of(kLetters, 7) + " password is kept in the " +
               Of(kLetters, 6) + " secret, see sk-" + Of(kLetters, 5);
      case 8:
        return "if (tokens.size() > " + std::to_string(Below(99)) + ") return parse_token(" +
               Of(kLetters, 6) + ");";
      default:
        return "data:image/png;base64," + Of(kAlnum, 80);
    }
  }

 private:
  std::mt19937_64 random_;
};

struct Kind {
  const char* name;
  std::function<std::string(Corpus&)> make;  // returns the text that must disappear
  std::function<std::string(Corpus&, const std::string&)> write =
      [](Corpus&, const std::string& s) { return s; };
};

Kind Prefixed(const char* name, const std::string& prefix, std::string_view characters,
              size_t length) {
  return {name, [=](Corpus& corpus) { return prefix + corpus.Of(characters, length); }};
}

// In pieces, so that this source contains no such text.
std::vector<Kind> PrefixedKinds() {
  const std::string begin = std::string("-----BEGIN ") + "PRIVATE KEY-----\n",
                    end = std::string("\n-----END ") + "PRIVATE KEY-----";
  return {
      Prefixed("github", std::string("gh") + "p_", kAlnum, 36),
      Prefixed("github-server", std::string("gh") + "s_", kAlnum, 36),
      Prefixed("github-fine", std::string("github") + "_pat_", kAlnum, 70),
      Prefixed("gitlab", std::string("gl") + "pat-", kAlnum, 20),
      Prefixed("aws-key-id", std::string("AK") + "IA", kUpper, 16),
      Prefixed("aws-session", std::string("AS") + "IA", kUpper, 16),
      Prefixed("anthropic", std::string("sk-") + "ant-api03-", kAlnum, 80),
      Prefixed("openai", std::string("sk-") + "proj-", kAlnum, 48),
      Prefixed("slack", std::string("xo") + "xb-", kAlnum, 40),
      Prefixed("stripe", std::string("sk_") + "live_", kAlnum, 24),
      Prefixed("google", std::string("AI") + "za", kAlnum, 35),
      Prefixed("google-oauth", std::string("ya") + "29.", kAlnum, 60),
      Prefixed("npm", std::string("np") + "m_", kAlnum, 36),
      Prefixed("pypi", std::string("py") + "pi-", kAlnum, 60),
      Prefixed("huggingface", std::string("h") + "f_", kAlnum, 34),
      Prefixed("digitalocean", std::string("do") + "p_v1_", kHex, 64),
      Prefixed("sendgrid", std::string("S") + "G." + std::string(22, 'a') + ".", kAlnum, 43),
      Prefixed("vault", std::string("hv") + "s.", kAlnum, 24),
      Prefixed("docker", std::string("dckr") + "_pat_", kAlnum, 27),
      Prefixed("shopify", std::string("sh") + "pat_", kHex, 32),
      Prefixed("databricks", std::string("da") + "pi", kHex, 32),
      Prefixed("grafana", std::string("gl") + "sa_", kAlnum, 32),
      Prefixed("linear", std::string("lin") + "_api_", kAlnum, 40),
      Prefixed("age", std::string("AGE-SECRET") + "-KEY-1", kUpper, 58),
      {"jwt",
       [](Corpus& corpus) {
         return "ey" + ("J" + corpus.Of(kAlnum, 30)) + ".eyJ" + corpus.Of(kAlnum, 60) + "." +
                corpus.Of(kAlnum, 43);
       }},
      {"private-key", [](Corpus& corpus) { return corpus.Of(kAlnum, 64); },
       [=](Corpus&, const std::string& secret) { return begin + secret + end; }},
      {"bearer", [](Corpus& corpus) { return corpus.Of(kAlnum, 32); },
       [](Corpus&, const std::string& secret) { return "Authorization: Bearer " + secret; }},
      {"url-password", [](Corpus& corpus) { return corpus.Of(kAlnum, 12); },
       [](Corpus&, const std::string& secret) {
         return "postgres://app:" + secret + "@db:5432/x";
       }},
  };
}

std::vector<Kind> GenericKinds() {
  return {
      {"assignment", [](Corpus& corpus) { return corpus.Of(kAlnum, 12 + corpus.Below(20)); },
       [](Corpus& corpus, const std::string& secret) {
         const char* const names[] = {
             "password=", "DB_PASSWORD=",         "secret: ",  "api_key = \"",
             "apiKey: '", "\"access_token\": \"", "auth-key=", "SECRET_TOKEN="};
         return corpus.OneOf(names) + secret + "\"";
       }},
      {"hex", [](Corpus& corpus) { return corpus.Of(kHex, 32); },
       [](Corpus&, const std::string& secret) { return "client_secret=" + secret; }},
  };
}

struct Found {
  int planted = 0, gone = 0;
};

Found Plant(const std::vector<Kind>& kinds, int count, Corpus& corpus, const Redactor& redactor) {
  Found found;
  for (int i = 0; i < count; ++i) {
    const Kind& kind = kinds[static_cast<size_t>(i) % kinds.size()];
    const std::string secret = kind.make(corpus);
    const std::string text = corpus.Around(kind.write(corpus, secret));
    Redactor::Counts counts;
    const bool gone = redactor.Redact(text, counts).find(secret) == std::string::npos;
    ++found.planted;
    found.gone += gone;
    EXPECT_EQ(counts.empty(), !gone) << kind.name << " is counted";
    if (!gone) std::printf("missed: %s\n", kind.name);
  }
  return found;
}

TEST(RedactionCorpus, PlantedSecretsAreFoundAndBenignLinesPass) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Corpus corpus(seed);
  const auto redactor = Redactor::Compile({});
  ASSERT_TRUE(redactor);
  ASSERT_GE(PrefixedKinds().size(), 25u);
  const Found prefixed = Plant(PrefixedKinds(), 800, corpus, *redactor);
  const Found generic = Plant(GenericKinds(), 200, corpus, *redactor);
  EXPECT_GE(prefixed.gone * 100, prefixed.planted * 99);
  EXPECT_GE(generic.gone * 100, generic.planted * 85);

  constexpr int kLines = 100'000;
  std::vector<std::string> lines;
  size_t bytes = 0;
  for (int i = 0; i < kLines; ++i) bytes += lines.emplace_back(corpus.BenignLine()).size();
  int harmed = 0;
  for (const std::string& line : lines) {
    Redactor::Counts counts;
    const std::string redacted = redactor->Redact(line, counts);
    if (redacted != line && ++harmed <= 5) std::printf("harmed: %s\n", redacted.c_str());
  }
  EXPECT_LE(harmed, kLines / 100);
  const std::string whole = base::Join(lines, "\n");
  Redactor::Counts counts;
  const std::clock_t begin = std::clock();
  (void)redactor->Redact(whole, counts);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf(
      "found %d of %d prefixed, %d of %d generic; %d of %d benign lines harmed; %.0f MB/s\n",
      prefixed.gone, prefixed.planted, generic.gone, generic.planted, harmed, kLines,
      static_cast<double>(bytes) / 1e6 / seconds);
}

}  // namespace
}  // namespace redaction
