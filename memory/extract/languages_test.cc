// Facts and silence in German, French, Spanish, Chinese and Japanese.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "memory/extract/extract.h"

namespace memory {
namespace {

// "category: content" of the only fact; else how many there are.
std::string OnlyFact(const char* text) {
  const auto facts = ExtractFacts(text, "");
  if (facts.size() != 1) return std::to_string(facts.size()) + " facts";
  return std::string(NameOf(facts[0].category)) + ": " + facts[0].content;
}

struct Statement {
  const char *text, *category;
};

// The fact is the sentence itself.
void ExpectKept(const std::vector<Statement>& all) {
  for (const Statement& one : all)
    EXPECT_EQ(OnlyFact(one.text), std::string(one.category) + ": " + one.text) << one.text;
}

void ExpectSilence(const std::vector<const char*>& all) {
  for (const char* text : all) {
    for (const FactCandidate& fact : ExtractFacts(text, ""))
      ADD_FAILURE() << text << " → " << NameOf(fact.category) << ": " << fact.content;
  }
}

TEST(FactLanguages, German) {
  ExpectKept({{"Ich mag dunklen Kaffee.", "user_preference"},
              {"Ich trinke morgens gern Tee.", "user_preference"},
              {"Meine Lieblingsfarbe ist Grün.", "user_preference"},
              {"Nenn mich Sam.", "user_preference"},
              {"Ich bin allergisch gegen Nüsse.", "user_preference"},
              {"Ich wohne in Köln.", "knowledge"},
              {"Ich arbeite als Lehrerin.", "knowledge"},
              {"Ich heiße Anna.", "knowledge"},
              {"Mein Hund heißt Rex.", "knowledge"},
              {"Wir verwenden Postgres im Lager.", "knowledge"},
              {"Der Server läuft auf Port 7437.", "knowledge"},
              {"Wir haben uns für Kotlin entschieden.", "knowledge"},
              {"Ich möchte nächstes Jahr Japanisch lernen.", "goal"},
              {"Erinnere mich morgen an den Zahnarzt.", "goal"},
              {"Gestern habe ich einen Marathon beendet.", "episodic"},
              {"Ich bin letzte Woche nach Bremen gezogen.", "episodic"},
              {"Nein, es ist Port 8081, nicht 8080.", "correction"}});
  ExpectSilence({"Wie geht es dir?", "Ich mag das.", "Ich möchte wissen, ob das geht.",
                 "Ich will, dass du den Test reparierst.", "Ich habe eine Frage.",
                 "Wenn ich Zeit hätte, würde ich reisen.", "Danke, das hilft.", "Guten Morgen.",
                 "Kannst du mir helfen", "Das ist ein Test.", "Nein, das ist gut so?",
                 "Repariere den Test."});
}

TEST(FactLanguages, French) {
  ExpectKept({{"J'aime le café noir.", "user_preference"},
              {"Je préfère les onglets.", "user_preference"},
              {"Je n'aime pas les longues réunions.", "user_preference"},
              {"Ma couleur préférée est le vert.", "user_preference"},
              {"Appelle-moi Sam.", "user_preference"},
              {"J'habite à Lyon.", "knowledge"},
              {"Je travaille comme infirmière.", "knowledge"},
              {"Je m'appelle Anne.", "knowledge"},
              {"Mon chien s'appelle Rex.", "knowledge"},
              {"Nous avons décidé de passer à Kotlin.", "knowledge"},
              {"Le serveur tourne sur le port 7437.", "knowledge"},
              {"Je voudrais apprendre le japonais.", "goal"},
              {"Rappelle-moi d'appeler le dentiste.", "goal"},
              {"Hier j'ai fini un marathon.", "episodic"},
              {"Non, c'est le port 8081, pas 8080.", "correction"}});
  ExpectSilence({"Comment ça va ?", "J'aime ça.", "Je veux que tu corriges le test.",
                 "Je voudrais savoir pourquoi.", "J'ai une question.", "Merci beaucoup.",
                 "Si j'avais le temps, je voyagerais.", "Bonjour.", "C'est un test."});
}

TEST(FactLanguages, Spanish) {
  ExpectKept({{"Me gusta el café negro.", "user_preference"},
              {"No me gustan las reuniones largas.", "user_preference"},
              {"Prefiero los tabuladores.", "user_preference"},
              {"Mi color favorito es el verde.", "user_preference"},
              {"Llámame Sam.", "user_preference"},
              {"Vivo en Sevilla.", "knowledge"},
              {"Trabajo como enfermera.", "knowledge"},
              {"Me llamo Ana.", "knowledge"},
              {"Mi perro se llama Rex.", "knowledge"},
              {"Decidimos usar Kotlin.", "knowledge"},
              {"El servidor usa el puerto 7437.", "knowledge"},
              {"Quiero aprender japonés.", "goal"},
              {"Recuérdame llamar al dentista.", "goal"},
              {"Ayer fui a un concierto.", "episodic"},
              {"Compré una casa el mes pasado.", "episodic"},
              {"No, es el puerto 8081, no el 8080.", "correction"}});
  ExpectSilence({"¿Cómo estás?", "Me gusta eso.", "Quiero que arregles la prueba.",
                 "Quiero saber por qué falla.", "Tengo una pregunta.", "Muchas gracias.",
                 "Si tuviera tiempo, viajaría.", "Hola.", "No es un problema.", "Es una prueba."});
}

TEST(FactLanguages, Chinese) {
  ExpectKept({{"我喜欢黑咖啡。", "user_preference"},
              {"我不喜欢很长的会议。", "user_preference"},
              {"叫我小王。", "user_preference"},
              {"我对花生过敏。", "user_preference"},
              {"我住在上海。", "knowledge"},
              {"我在一家医院工作。", "knowledge"},
              {"我的狗叫旺财。", "knowledge"},
              {"我们决定使用Postgres。", "knowledge"},
              {"服务器运行在7437端口。", "knowledge"},
              {"我打算明年学日语。", "goal"},
              {"提醒我明天给妈妈打电话。", "goal"},
              {"昨天我参加了一场马拉松。", "episodic"},
              {"不对，端口是8081。", "correction"}});
  ExpectSilence({"你好。", "你好吗？", "我喜欢这个。", "我想知道为什么失败。", "谢谢你。",
                 "如果我有时间，我打算去旅行。", "请修复这个测试。", "他说我喜欢茶。", "你能帮我吗",
                 "这是一个测试。"});
}

TEST(FactLanguages, Japanese) {
  ExpectKept({{"私はコーヒーが好きです。", "user_preference"},
              {"長い会議が苦手です。", "user_preference"},
              {"サムと呼んでください。", "user_preference"},
              {"大阪に住んでいます。", "knowledge"},
              {"病院で働いています。", "knowledge"},
              {"私の犬の名前はポチです。", "knowledge"},
              {"Postgresを使うことにしました。", "knowledge"},
              {"来年スペイン語を学ぶつもりです。", "goal"},
              {"昨日マラソンを走りました。", "episodic"},
              {"いいえ、ポートは8081です。", "correction"}});
  ExpectSilence({"こんにちは。", "元気ですか？", "それが好きです。", "なぜ失敗するか知りたいです。",
                 "ありがとうございます。", "もし時間があれば旅行したいです。",
                 "テストを直してください。", "彼は犬が好きです。",
                 "田中さんは大阪に住んでいます。"});
}

TEST(FactLanguages, SentencesEndAtMarksOfTheirScript) {
  EXPECT_EQ(ExtractFacts("我住在上海。我喜欢茶！你好吗？", "").size(), 2u);
  EXPECT_EQ(ExtractFacts("Ich wohne z.B. in Köln. Ich heiße Anna.", "").size(), 2u);
}

}  // namespace
}  // namespace memory
