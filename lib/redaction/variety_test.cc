// Over a hundred notations of secrets, each with a value that must disappear, and the project's own
// texts, of which hardly a line may change. Composes the secrets of pieces, so that no scanner
// reports them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "lib/redaction/redaction.h"

namespace redaction {
namespace {

using base::Json;

const std::string kValue = std::string("q7Rt2Vx9") + "Lm4Kp8Zs1Wd6",
                  kHex32 = std::string("0f1e2d3c4b5a6978") + "8796a5b4c3d2e1f0";
const std::string kLong = kValue + kValue + kValue + kValue + kValue;
const std::string kLine = kLong.substr(0, 64) + "\n",
                  kEnd = std::string("-----END OPENSSH ") + "PRIVATE KEY-----";

struct Case {
  std::string text, secret;
};

std::string With(const std::string& before, const std::string& after = "") {
  return before + kValue + after;
}

std::vector<Case> Named() {
  std::vector<Case> cases;
  for (const char* name : {"SECRET_KEY=",
                           "SECRET_KEY_BASE: ",
                           "JWT_SECRET_KEY=",
                           "API_KEY_PROD=",
                           "PRIVATE_KEY=",
                           "ENCRYPTION_KEY=",
                           "APP_KEY=base64:",
                           "passphrase: ",
                           "pwd = ",
                           "PrivateKey = ",
                           "PresharedKey = ",
                           "export DB_PASSWORD=",
                           "PGPASSWORD=",
                           "MYSQL_PWD=",
                           "STRIPE_SECRET_KEY=",
                           "clientSecret: ",
                           "aws_secret_access_key = ",
                           "AUTH_TOKEN=",
                           "//r.io/:_authToken=",
                           "api key: ",
                           "X-Api-Key: ",
                           "MASTER_KEY_2=",
                           "Authorization: token ",
                           "Set-Cookie: session=",
                           "Cookie: a=b; sid="})
    cases.push_back({With(name), kValue});
  for (const char* weak : {"hunter2", "Tr0ub4dor&3", "correct-horse-battery-staple"}) {
    cases.push_back({std::string("password=") + weak, weak});
    cases.push_back({std::string("password: ") + weak + "\nuser: a", weak});
    cases.push_back({std::string("\"db_password\": \"") + weak + "\"", weak});
  }
  return cases;
}

std::vector<Case> Shaped() {
  return {
      {With("<password>", "</password>"), kValue},
      {"<password>hunter2</password>", "hunter2"},
      {With("<add key=\"Password\" value=\"", "\"/>"), kValue},
      {With(R"({"name":"DB_PASSWORD","value":")", "\"}"), kValue},
      {R"({"name":"DB_PASSWORD","value":"hunter2"})", "hunter2"},
      {With("env:\n  - name: API_TOKEN\n    value: ", "\n"), kValue},
      {With("- name: API_TOKEN\n  value: \"", "\"\n"), kValue},
      {With(R"({"password":{"value":")", "\"}}"), kValue},
      {With(R"(args: ["--password",")", "\"]"), kValue},
      {R"(["--password","hunter2"])", "hunter2"},
      {With(R"({\"password\":\")", R"(\"})"), kValue},
      {R"("{\"password\":\"hunter2\"}")", "hunter2"},
      {With(R"("{\\\"token\\\":\\\")", R"(\\\"}")"), kValue},
      {"tool --password hunter2 --verbose", "hunter2"},
      {With("tool --api-key ", " x"), kValue},
      {With("tool --token=", " x"), kValue},
      {"mysql -u root -phunter2 db", "hunter2"},
      {"mysqldump --single -h db -phunter2 shop", "hunter2"},
      {"curl -s -u admin:hunter2 https://x.example", "hunter2"},
      {"curl --user 'a:hunter2' https://x.example", "hunter2"},
      {"machine git.example login me password hunter2", "hunter2"},
      {"sshpass -p hunter2 ssh a@b", "hunter2"},
      {"docker login -u me -p hunter2 r.example", "hunter2"},
      {"openssl rsa -passin pass:hunter2", "hunter2"},
      {With("token: |\n  ", "\nnext: 1"), kValue},
      {With("auth:\n  token: >-\n    ", "\n"), kValue},
      {"Authorization: Basic dTpodW50ZXIy", "dTpodW50ZXIy"},
      {With("Authorization: Bearer "), kValue},
      {"my password is hunter2!", "hunter2"},
      {"redis://:hunter2@cache/0", "hunter2"},
      {"client-key-data: LS0tLS1CRUdJTi" +
           std::string("BSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFcEFJQkFB"),
       "UFJJVkFURSBLRVktLS0tLQpNSUlF"},
      {"Z2hwX2FCM2RFNWZH" + std::string("N2hJOWpLMWxNM25PNXBRN3JTOXRVMXZXM3g="),
       "N2hJOWpLMWxNM25PNXBRN3JT"},
      {kLine + kLine + kValue + "\n" + kEnd, kLong.substr(0, 64)},
      {"a_" + std::string("ghp") + "_" + kValue + "x1Y2", kValue},
      {std::string("ghp") + "_" + kValue.substr(0, 9) + "\x1b[31m" + kValue.substr(9) +
           kValue.substr(0, 16),
       kValue.substr(9)},
      {std::string("ghp") + "_" + kValue.substr(0, 9) + "\u200B" + kValue.substr(9) +
           kValue.substr(0, 16),
       kValue.substr(9)},
      {std::string("ghp") + "_" + kValue.substr(0, 12) + "\n" + kValue.substr(12) +
           kValue.substr(0, 16),
       kValue.substr(12)},
      {"mnemonic: \"legal winner thank year wave sausage worth useful legal winner thank yellow\"",
       "sausage worth"},
      {"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n" + kLine + kLine +
           "Private-MAC: " + kHex32,
       kLong.substr(0, 64)},
      {"PRIVATE_KEY=0x" + kHex32 + kHex32, kHex32},
      {"Private Key: 0x" + kHex32 + kHex32, kHex32},
  };
}

std::vector<Case> Published() {
  std::vector<Case> cases;
  const auto add = [&](const char* first, const char* second, const std::string& rest) {
    cases.push_back({"x " + (std::string(first) + second + rest) + " y", rest});
  };
  add("gh", "o_", kValue + kValue);
  add("gl", "pat-", kValue);
  add("gl", "rt-", kValue);
  add("xa", "pp-1-A0B1-123-", kValue);
  add("wh", "sec_", kValue + kValue);
  add("GOC", "SPX-", kValue + "abcdefgh");
  add("1/", "/0g", kValue + kValue);
  add("S", "K", kHex32);
  add("ke", "y-", kHex32);
  add("PM", "AK-", kHex32.substr(0, 24) + "-" + kHex32 + "0a");
  add("nv", "api-", kValue + kValue);
  add("xa", "i-", kValue + kValue);
  add("pp", "lx-", kValue + kValue);
  add("r", "8_", kValue + kValue);
  add("sb", "p_", kHex32 + kHex32.substr(0, 8));
  add("sn", "trys_", kValue + kValue);
  add("pu", "l-", kHex32 + kHex32.substr(0, 8));
  add("ops", "_ey", "J" + kLong);
  add("ts", "key-auth-", kValue);
  add("fi", "gd_", kValue + kValue);
  add("nt", "n_", kValue + kValue);
  add("CCI", "PAT_", kValue + "_" + kValue);
  add("abcdefGHIJ1234.at", "lasv1.", kLong);
  add("https://discord.com/api/web", "hooks/123456789012345678/", kLong);
  add("npm", "_", kValue + kValue);
  add("AK", "IA", "QWERTYUIOPASDFGH");
  add("AI", "za", kLong.substr(0, 35));
  add("sk-a", "nt-api03-", kLong);
  add("rubyg", "ems_", kHex32 + kHex32.substr(0, 16));
  add("shipp", "o_live_", kHex32 + kHex32.substr(0, 8));
  cases.push_back(
      {"https://x.blob.example/c?sv=1&si" + std::string("g=") + kValue + kValue + "%3D&se=2",
       kValue + kValue});
  cases.push_back({"secret: abc8" + std::string("Q~") + kValue + "abcdefghijklm", kValue});
  return cases;
}

TEST(RedactionVariety, EveryNotationOfASecretIsRedacted) {
  const auto redactor = Redactor::Compile({});
  ASSERT_TRUE(redactor);
  size_t planted = 0, gone = 0;
  for (const auto& cases : {Named(), Shaped(), Published()}) {
    for (const Case& one : cases) {
      Redactor::Counts counts;
      const std::string text = redactor->Redact(one.text, counts);
      ++planted;
      const bool left = text.find(one.secret) != std::string::npos || counts.empty();
      gone += !left;
      if (left) std::printf("stays: %s\n", text.c_str());
      Redactor::Counts again;
      EXPECT_EQ(redactor->Redact(text, again), text) << "a redacted text stays as it is";
    }
  }
  std::printf("%zu of %zu gone\n", gone, planted);
  EXPECT_GE(planted, 107u);
  EXPECT_EQ(gone, planted);
}

TEST(RedactionVariety, HarmlessValuesAreUnchanged) {
  const auto redactor = Redactor::Compile({});
  ASSERT_TRUE(redactor);
  for (const char* text :
       {"`curl -u user:\u2026`, `mysql -p\u2026`", "curl -u me:... https://x.example",
        "\"atlassian-api-token\": \"atlassian|confluence|jira|ATATT3\"",
        "\"square-access-token\": \"EAAA|sq0atp-\"", "(\"names\", \"password=token=\")",
        "password = kubernetes.io/service-account-token", "token: next|previous|first"}) {
    Redactor::Counts counts;
    EXPECT_EQ(redactor->Redact(text, counts), text);
  }
  for (const char* text :
       {"password=\"a|b|c1d2\"", "password: hunter2|hunter3", "token=\"abc|q7Rt2Vx9Lm4Kp8\"",
        "password=x.y/Z9z8z7", "pw=hunter2=", "Cookie: a=b; theme=dark; sid=q7Rt2Vx9"}) {
    Redactor::Counts counts;
    EXPECT_NE(redactor->Redact(text, counts), text);
  }
}

TEST(RedactionVariety, SeparateNamesAndValuesInJsonAreRedacted) {
  const auto redactor = Redactor::Compile({});
  ASSERT_TRUE(redactor);
  const std::string token = std::string("gh") + "p_" + kValue;
  const std::pair<Json, const char*> cases[] = {
      {{{"name", "DB_PASSWORD"}, {"value", "hunter2"}}, "hunter2"},
      {{{"value", "hunter2"}, {"key", "db.password"}}, "hunter2"},
      {{{"password", {{"value", "hunter2"}}}}, "hunter2"},
      {{{"password", 12345678}}, "12345678"},
      {{{"args", {"--password", "hunter2"}}}, "hunter2"},
      {{{token, "v"}}, "Lm4Kp8"},
      {{{"passwords", {"hunter2", "other3word"}}}, "hunter2"},
  };
  for (const auto& [given, secret] : cases) {
    Json value = given;
    Redactor::Counts counts;
    redactor->RedactStrings(value, counts);
    EXPECT_EQ(base::DumpJson(value).find(secret), std::string::npos) << base::DumpJson(value);
    EXPECT_FALSE(counts.empty());
  }
  Json benign = {
      {"max_tokens", 4096}, {"password_length", 12}, {"name", "value"}, {"token_count", 123456}};
  const Json before = benign;
  Redactor::Counts counts;
  redactor->RedactStrings(benign, counts);
  EXPECT_EQ(benign, before);
}

// The project's own files, in an order that does not depend on the disk.
std::vector<std::string> ProjectFiles() {
  std::vector<std::string> paths;
  for (const char* folder : {"sidecar", "memory", "operator", "client", "docs", "lib", "charts",
                             "config", "crds", "cmake", "scripts", "e2e"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      const std::string path = entry.path().string();
      if (entry.is_regular_file() && path.find("redaction") == std::string::npos)
        paths.push_back(path);
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(RedactionVariety, OrdinaryLinesAreUnchanged) {
  constexpr size_t kMostChanged = 17, kOfLines = 100'000;
  const auto redactor = Redactor::Compile({});
  ASSERT_TRUE(redactor);
  size_t lines = 0, changed = 0;
  for (const std::string& path : ProjectFiles()) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      if (line.empty()) continue;
      ++lines;
      Redactor::Counts counts;
      const std::string redacted = redactor->Redact(line, counts);
      if (redacted == line) continue;
      if (++changed <= 40) std::printf("%s: %s\n", path.c_str(), redacted.substr(0, 160).c_str());
    }
  }
  std::printf("%zu of %zu lines changed, %.1f of 100,000\n", changed, lines,
              static_cast<double>(changed) * kOfLines / static_cast<double>(lines));
  EXPECT_GE(lines, kOfLines);
  EXPECT_LE(changed * kOfLines, lines * kMostChanged)
      << "a format is too wide, or a test has a whole secret in a line: write it in pieces";
}

}  // namespace
}  // namespace redaction
