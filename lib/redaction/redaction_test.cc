// Removal of secrets of known formats, with their kinds and counts; benign text stays unchanged.
// Composes the planted values of pieces, so that no scanner reports them.
#include "lib/redaction/redaction.h"

#include <gtest/gtest.h>

namespace redaction {
namespace {

const std::string kTail = "abcDEF0123456789abcdef";  // 22 characters

Redactor Make(api::Redaction settings = {}) {
  auto redactor = Redactor::Compile(settings);
  EXPECT_TRUE(redactor);
  return std::move(*redactor);
}

TEST(Redaction, EveryKnownFormatIsRedacted) {
  const std::pair<const char*, std::string> cases[] = {
      {"github", "ghp" + ("_" + kTail)},
      {"github", "github_pat" + ("_" + kTail)},
      {"gitlab", "glpat" + ("-" + kTail)},
      {"aws-key-id", std::string("AKIA") + "ABCDEFGHIJKLMNOP"},
      {"anthropic", "sk-ant" + ("-" + kTail)},
      {"api-key", "sk" + ("-" + kTail)},
      {"slack", "xoxb" + ("-" + kTail)},
      {"stripe", "sk_live" + ("_" + kTail)},
      {"google", "AIza" + kTail + kTail},
      {"npm", "npm" + ("_" + kTail)},
      {"jwt", "eyJ" + kTail + "." + kTail + "." + kTail},
      {"bearer", "Bearer " + kTail},
      {"url-password", "postgres://me:secretword@db/x"},
      {"private-key",
       "-----BEGIN RSA PRIVATE"
       " KEY-----\nMIIE\nabc\n-----END RSA PRIVATE"
       " KEY-----"},
      {"url-password", "redis://:secretword@cache:6379/0"},
      {"private", "<private>my own words</private>"},
  };
  const Redactor redactor = Make();
  for (const auto& [kind, secret] : cases) {
    Redactor::Counts counts;
    const std::string text = redactor.Redact("before " + secret + " after", counts);
    EXPECT_EQ(text.find(kTail.substr(0, 12)), std::string::npos) << text;
    EXPECT_EQ(text.find("secretword"), std::string::npos) << text;
    EXPECT_EQ(text.find("MIIE"), std::string::npos) << text;
    EXPECT_EQ(text.find("own words"), std::string::npos) << text;
    EXPECT_NE(text.find("[REDACTED:"), std::string::npos) << secret;
    EXPECT_TRUE(text.starts_with("before ") && text.ends_with(" after")) << text;
    EXPECT_EQ(counts[kind], 1) << text;
  }
}

// What everyday tools write. Values are composed, so that no scanner reports them.
TEST(Redaction, SecretsOfEverydayToolsAreRedacted) {
  const std::string word = std::string("hun") + "ter2Zq9",
                    random = "9fQ2" + std::string("xL7pVw3kRt8Z");
  const std::string lines[] = {"encryption.key=" + random,
                               "signing.key: " + random,
                               "app.secret.key = \"" + random + "\"",
                               "ADMIN_PW=" + word,
                               "admin_pw: " + word,
                               "pw=" + word,
                               "pw='" + word + "'",
                               "auth=" + random,
                               "sessionid=" + random,
                               "SESSIONID: " + random,
                               "Cookie: sessionid=" + random,
                               "vault login " + random,
                               "vault login -method=token token=" + random,
                               "vault login s." + random,
                               "openssl enc -aes-256-cbc -k " + word + " -in a -out b",
                               "openssl rsa -passin pass:" + word + " -in key",
                               "openssl enc -d -pass pass:" + word,
                               "openssl pkcs12 -export -passout pass:" + word,
                               "curl -u admin:" + word + " https://x",
                               "mysql -u root -p" + word,
                               "mysqldump -p" + word + " db",
                               "sshpass -p " + word + " ssh h",
                               "PGPASSWORD=" + word + " psql",
                               "export MYSQL_PWD=" + word,
                               "docker login -u me -p " + word,
                               "htpasswd -b file me " + word,
                               "machine h login me password " + word,
                               "Authorization: Basic " + std::string("YWRtaW46aHVudGVyMlpxOQ=="),
                               "keytool -storepass " + word + " -list",
                               "jarsigner -keypass " + word,
                               "kubectl create secret generic s --from-literal=password=" + word,
                               "redis-cli -a " + word + " ping",
                               "ldapsearch -x -D cn=a -w " + word,
                               "mongosh -u me -p " + word,
                               "sqlcmd -S h -U sa -P " + word,
                               "smbclient //h/s -U me%" + word,
                               "//registry.example/:_authToken=" + random,
                               "chpasswd <<< \"me:" + word + "\"",
                               "postgres://me:" + word + "@h/db"};
  const Redactor redactor = Make();
  for (const std::string& line : lines) {
    Redactor::Counts counts;
    const std::string text = redactor.Redact(line, counts);
    EXPECT_EQ(text.find("ter2Zq9"), std::string::npos) << text;
    EXPECT_EQ(text.find("xL7pVw3k"), std::string::npos) << text;
    EXPECT_EQ(text.find("YWRtaW46"), std::string::npos) << text;
  }
  for (const std::string ordinary :
       {"openssl req -new -key server.key -out server.csr", "openssl x509 -in cert.pem -text",
        "vault login -help", "vault login -method=userpass username=me", "auth=none", "pw=…",
        "docker login -u me", "kubectl create configmap c --from-literal=mode=fast",
        "mongosh --host h", "sqlcmd -S h -Q 'SELECT 1'", "unzip -p archive.zip file.txt",
        "key=value", "primary.key=id", "encryption.key=/etc/keys/a", "author=me"}) {
    Redactor::Counts counts;
    EXPECT_EQ(redactor.Redact(ordinary, counts), ordinary);
  }
}

TEST(Redaction, PrivateKeysInDiffsAreRedacted) {
  const std::string begin = std::string("-----BEGIN RSA ") + "PRIVATE KEY-----",
                    end = std::string("-----END RSA ") + "PRIVATE KEY-----",
                    headers = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB12\n\n";
  const std::string keys[] = {
      "-" + begin + "\n-MIIEone\n-MIIEtwo=\n-" + end,
      begin + "\n" + headers + "MIIEone\n" + end,
      begin + "\\nMIIEone\\nMIIEtwo\\n" + end,
      "1→" + begin + "\n2→MIIEone\n3→" + end,
  };
  for (const std::string& key : keys) {
    Redactor::Counts counts;
    const std::string text = Make().Redact("a\n" + key + "\nafter", counts);
    EXPECT_EQ(text.find("MIIE"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("\nafter")) << text;
  }
  Redactor::Counts counts;
  const std::string cut =
      Make().Redact("a " + begin + "\n-" + headers + "-MIIEone\n-MIIEtwo\n[cut]", counts);
  EXPECT_EQ(cut.find("MIIE"), std::string::npos) << cut;
  EXPECT_TRUE(cut.ends_with("[cut]")) << cut;
  const std::string named = Make().Redact("grep `" + begin + "` keeps the rest", counts);
  EXPECT_TRUE(named.ends_with("` keeps the rest")) << named;
}

TEST(Redaction, SameSecretGetsSamePlaceholder) {
  Redactor::Counts counts;
  const std::string secret = "ghp" + ("_" + kTail);
  const std::string text = Make().Redact(secret + " " + secret, counts);
  const size_t blank = text.find(' ');
  EXPECT_EQ(text.substr(0, blank), text.substr(blank + 1));
  EXPECT_EQ(counts["github"], 2);
}

TEST(Redaction, BenignTextIsUnchanged) {
  Redactor::Counts counts;
  for (const char* text : {"error: panic in gh_actions", "task sk-learn 1.2", "Bearer of news",
                           "see https://a.b/c:80/@x", "ghp_short", "日本語 <priv>", "AKIAlowercase",
                           "a disk-usage-of-very-long-names", ""}) {
    EXPECT_EQ(Make().Redact(text, counts), text);
  }
  EXPECT_TRUE(counts.empty());
}

TEST(Redaction, UnclosedPrivateSectionEndsWithTheText) {
  Redactor::Counts counts;
  EXPECT_EQ(Make().Redact("a <PRIVATE>rest", counts), "a <PRIVATE>rest");  // tags are lower case
  EXPECT_EQ(Make().Redact("a <private>rest\nof it", counts), "a [REDACTED:private]");
}

TEST(Redaction, PolicyPatternsAndSwitchApply) {
  api::Redaction settings;
  settings.extra_patterns = {"corp-[0-9]+", "x*"};
  Redactor::Counts counts;
  EXPECT_EQ(Make(settings).Redact("id corp-77 日", counts).find("corp-77"), std::string::npos);
  EXPECT_EQ(counts["custom"], 1);
  settings.enabled = false;
  EXPECT_EQ(Make(settings).Redact("id corp-77", counts), "id corp-77");
  settings.extra_patterns = {"("};
  auto bad = Redactor::Compile(settings);
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("\"(\""), std::string::npos);
}

TEST(Redaction, StringsInJsonAreRedacted) {
  Redactor::Counts counts;
  base::Json value = {{"a", {{"b", "ghp" + ("_" + kTail)}, {"n", 1}}}};
  Make().RedactStrings(value, counts);
  EXPECT_TRUE(value["a"]["b"].get<std::string>().starts_with("[REDACTED:github:"));
  EXPECT_EQ(value["a"]["n"], 1);
}

}  // namespace
}  // namespace redaction
