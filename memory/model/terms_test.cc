// How texts are cut: which terms a text has, and which of them a query asks for.
#include "memory/model/terms.h"

#include <gtest/gtest.h>

#include <set>

#include "lib/base/text/text.h"
#include "memory/model/words.h"

namespace memory {
namespace {

// As the full-text table does it, but for Porter's stems: the words of ASCII text, and its terms.
std::set<std::string> IndexOf(const std::string& text) {
  std::set<std::string> terms;
  std::string word;
  for (char c : base::StripAccents(base::FoldCase(text)) + ' ') {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      word += c;
    else if (static_cast<unsigned char>(c) >= 0x80)
      word += c;  // compared as bytes
    else if (!word.empty())
      terms.insert(std::exchange(word, {}));
  }
  for (std::string& term : base::Split(AddedTerms(text), ' ')) terms.insert(std::move(term));
  return terms;
}

bool Finds(const std::string& text, const std::string& query) {
  const std::set<std::string> terms = IndexOf(text);
  for (const QuestionWord& word : ReadQuestion(query).words)  // parts, too
    for (const std::string& form : word.forms)
      if (terms.contains(form)) return true;
  return false;
}

struct Case {
  const char *text, *query;
};

TEST(Terms, WhatReadersTakeForTheSameIsFound) {
  for (const Case& one : std::initializer_list<Case>{
           {"Die Straße ist gesperrt", "Straße"},
           {"Die Straße ist gesperrt", "STRASSE"},
           {"Die Strasse", "straße"},
           {"Η βάση δεδομένων", "βαση"},
           {"Η βαση δεδομενων", "ΒΆΣΗ"},
           {"Ὀδυσσεύς", "οδυσσευς"},
           {"Ёлка", "елка"},
           {"café", "cafe"},
           {"cafe\u0301", "CAFÉ"},
           {"ＦＵＬＬ width", "full"},
           {"ﬁle handle", "file"},
           {"Łódź", "lodz"},
           {"İstanbul", "istanbul"},
           {"co\u00ADoperate", "cooperate"},
           {"مُحَمَّد", "محمد"},
           {"שָׁלוֹם", "שלום"},
           {"हिन्दी भाषा", "हिन्दी"},
           {"ภาษาไทยง่าย", "ไทย"},
           {"สวัสดีครับ", "ครับ"},
           {"ភាសាខ្មែរ", "ខ្មែរ"},
           {"မြန်မာဘာသာ", "ဘာသာ"},
           {"数据库连接", "连接"},
           {"ﾃﾞｰﾀ", "データ"},
           {"か\u3099くせい", "がくせい"},
           {"abc日本語def", "abc"},
           {"abc日本語def", "日本"},
           {"Кириллицаlatin", "latin"},
           {"Кириллицаlatin", "кириллица"},
           {"Кириллицаlatin", "КириллицаLatin"},
           {"OvertimeService", "overtime"},
           {"parseHTMLResponse", "html"},
           {"parseHTMLResponse", "parse_html_response"},
           {"parse_html_response", "parseHTMLResponse"},
           {"my_snake_case here", "snake"},
           {"١٢٣ rows", "123"},
           {"Host 10.0.0.12 is down.", "10.0.0.12"},
           {"see http://10.0.0.12:8080/x", "10.0.0.12"},
           {"see http://10.0.0.12:8080/x", "10.0.0.12:8080"},
           {"net 10.0.0.0/24", "10.0.0.0"},
           {"release v1.2.3", "1.2.3"},
           {"release 1.2.3", "v1.2.3"},
           {"release v1.2.3-rc.1", "v1.2.3"},
           {"at 2024-01-05T10:22:00Z", "2024-01-05"},
           {"on 2024\u201101\u201105", "2024-01-05"},
           {"in /etc/nginx/nginx.conf:", "/etc/nginx/nginx.conf"},
           {"in /etc/nginx/nginx.conf:", "nginx.conf"},
           {"in /etc/nginx/nginx.conf:", "nginx/nginx.conf"},
           {"in /etc/nginx/nginx.conf:", "nginx"},
           {"mail ann@example.com!", "ann@example.com"},
           {"mail ann@example.com!", "example.com"},
           {"(JIRA-123)", "jira-123"},
           {"GitHub-77", "github-77"},
           {"id 8A1F0C52-77AA-4C1E-9D0B-0A1B2C3D4E5F", "8a1f0c52-77aa-4c1e-9d0b-0a1b2c3d4e5f"},
           {"key AKx9Q2bW7cZ4dR1e", "akx9q2bw7cz4dr1e"},
           {"use UTF-8", "utf8"},
           {"use utf8", "UTF-8"},
           {"call foo_bar.baz()", "foo_bar.baz"},
           {"call foo_bar.baz()", "foo_bar"},
           {"the deployment", "deployment"},
           {"owner/repo#45", "repo#45"},
           {"host api.eu.example.com", "example.com"},
           {"call std::vector::push_back", "vector::push_back"},
           {"the html5Parser", "parser"},
           {"the html5Parser", "HTML5Parser"},
           {"in /usr/bin", "/usr/bin"},
           {"C:\\Users\\ann\\a.txt", "a.txt"}}) {
    EXPECT_TRUE(Finds(one.text, one.query)) << one.text << " by " << one.query;
  }
}

TEST(Terms, AnUnknownIdentifierFindsNoPartsOfOthers) {
  for (const Case& one : std::initializer_list<Case>{
           {"Host 10.0.12.0 is down.", "10.0.0.12"},
           {"release v1.3.2", "v1.2.3"},
           {"on 2024-05-01", "2024-01-05"},
           {"JIRA-123 is done", "JIRA-124"},
           {"in /etc/nginx/nginx.conf", "/etc/nginx/site.conf"},
           {"request 8a1f0c52-77aa-4c1e-9d0b-0a1b2c3d4e5f", "8a1f0c52-77aa-4c1e-9d0b-000000000000"},
           {"mail bob@example.com", "ann@example.com"},
           {"in /usr/bin", "/opt/bin"},
           {"Host 10.0.0.12", "0.12"},
           {"foo_bar.baz", "foo_baz.bar"}}) {
    EXPECT_FALSE(Finds(one.text, one.query)) << one.text << " by " << one.query;
  }
}

TEST(Terms, PartsOfAnIdentifierCountLittleAmongWords) {
  const Question question = ReadQuestion("restart foo_bar on 10.0.0.12");
  std::vector<std::string> little, full;
  for (const QuestionWord& word : question.words)
    (word.weight < 1 ? little : full).push_back(word.forms[0]);
  EXPECT_EQ(little, (std::vector<std::string>{"foo", "bar"}));
  EXPECT_EQ(full.size(), 3u);  // restart, foo_bar, 10.0.0.12
}

TEST(Terms, ProseAddsNoTerms) {
  EXPECT_EQ(AddedTerms("We met at the well-being course, and/or \"later\". It's fine!"), "");
  EXPECT_EQ(AddedTerms("Привет мир"), "");
  EXPECT_EQ(AddedTerms("数据库"), "数 数据 据 据库 库");
}

TEST(Terms, TimeAndSizeAreLinear) {
  for (const std::string& unit : {std::string("aB"), std::string("a.b/"), std::string("ไท"),
                                  std::string("1-"), std::string("ß"), std::string("_")}) {
    std::string text;
    while (text.size() < 200'000) text += unit;
    EXPECT_LT(AddedTerms(text).size(), 8 * text.size()) << unit;
  }
}

TEST(Words, DeployIsDeployment) {
  EXPECT_EQ(ReadQuestion("deploy").words[0].forms,
            (std::vector<std::string>{"deploy", "deployment"}));
  EXPECT_EQ(ReadQuestion("deployments").words[0].forms,
            (std::vector<std::string>{"deployments", "deploy"}));
  EXPECT_EQ(ReadQuestion("moment").words[0].forms, (std::vector<std::string>{"moment"}));
}

}  // namespace
}  // namespace memory
