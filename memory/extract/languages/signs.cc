// The tables, the narrow rows first.
#include "memory/extract/languages/signs.h"

namespace memory {
namespace {

constexpr size_t kNear = 15;  // bytes: five characters
constexpr size_t kFar = 480;  // the whole of it

constexpr FactCategory kPrefers = FactCategory::kUserPreference,
                       kHappened = FactCategory::kEpisodic, kAims = FactCategory::kGoal,
                       kStates = FactCategory::kKnowledge, kCorrects = FactCategory::kCorrection;

}  // namespace

const std::vector<Sign>& ChineseSigns() {
  static const std::vector<Sign> signs = {
      {"不，|不对，|不是，|不,|不对,|错了，", "是|应该", kFar, "", kCorrects, .7},
      {"其实", "是|应该", kFar, "", kCorrects, .65},
      {"叫我|请叫我|你可以叫我", "", 0, "", kPrefers, .8},
      {"我对|我", "过敏", kFar, "", kPrefers, .75},
      {"我", "喜欢|讨厌|爱吃|爱喝|偏好|偏爱|受不了|习惯", kNear, "", kPrefers, .6},
      {"请总是|请一直|以后请|从现在起|从现在开始", "", 0, "", kPrefers, .7},
      {"提醒我|请提醒我", "", 0, "", kAims, .75},
      {"我的目标|我的计划|我的梦想", "是", kNear, "", kAims, .65},
      {"昨天|前天|昨晚|上周|上个月|上个周末|去年|刚才|最近", "我", kNear, "了|过", kHappened, .55},
      {"我|我们", "昨天|前天|昨晚|上周|上个月|上个周末|去年|刚刚", kNear, "了|过", kHappened, .55},
      {"我住在|我家在|我来自|我叫|我的名字是|我的名字叫", "", 0, "", kStates, .75},
      {"我在", "工作|上班|上学|读书", kFar, "", kStates, .65},
      {"我们决定|我们已经决定|我们选择了", "", 0, "", kStates, .65, true},
      {"我们使用|我们用|我们采用|我们在用", "", 0, "", kStates, .6},
      {"我是一名|我是一个|我是个|我是一位|我是做", "", 0, "", kStates, .6},
      {"我有一|我有两|我有三|我养了", "", 0, "", kStates, .52},
      {"我的", "是|叫|住在", kFar, "", kStates, .55},
      {"我", "打算|计划|准备|希望|想要|想去|想学|想买|想做|想把", kNear, "", kAims, .52},
      {"", "运行在|依赖于|监听|部署在|存储在", kNear * 2, "", kStates, .5, true},
  };
  return signs;
}

const std::vector<Sign>& JapaneseSigns() {
  static const std::vector<Sign> signs = {
      {"いいえ、|いや、|違います", "", 0, "です|ます|だ", kCorrects, .7},
      {"", "ではなく|じゃなくて", kFar, "です|ます|だ", kCorrects, .65},
      {"", "と呼んで", kFar, "", kPrefers, .8},
      {"", "アレルギー", kFar, "", kPrefers, .75},
      {"", "が好き|が大好き|が嫌い|が苦手|のほうが好き|を好みます", kFar, "", kPrefers, .6},
      {"これからは|今後は", "", 0, "ください|して", kPrefers, .7},
      {"", "思い出させて|リマインドして", kFar, "", kAims, .75},
      {"私の目標は|僕の目標は|目標は", "", 0, "", kAims, .65},
      {"昨日|一昨日|おととい|先週|先月|去年|先日|昨夜", "", 0, "ました|でした|した|った", kHappened,
       .55},
      {"私は昨日|私は先週|私は先月|私は去年|僕は昨日", "", 0, "ました|でした|した|った", kHappened,
       .55},
      {"", "に住んで|で働いて|出身です|と申します|といいます|に勤めて", kFar, "", kStates, .7},
      {"私の名前は|僕の名前は|名前は", "", 0, "です", kStates, .8},
      {"私の|僕の|俺の", "は", kFar, "です|ます|だ", kStates, .55},
      {"", "に決めました|ことにしました|に決まりました", kFar, "", kStates, .65, true},
      {"", "を使っています|を使用しています|で動いています|に依存しています", kFar, "", kStates,
       .55, true},
      {"", "たいと思|つもりです|予定です|を目指して|たいです", kFar, "", kAims, .52},
      {"私は|僕は|俺は", "", 0, "です", kStates, .5},
  };
  return signs;
}

}  // namespace memory
