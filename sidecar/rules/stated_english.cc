// English. Rows of one kind together; a row is here because a sentence of the test data needs it.
#include "sidecar/rules/stated_languages.h"

namespace sidecar {
namespace {

constexpr StatedKind kDecides = StatedKind::kDecision, kRule = StatedKind::kConvention,
                     kLikes = StatedKind::kPreference, kIs = StatedKind::kFact;

constexpr StatedForm kEnglishForms[] = {
    // Decisions.
    {"lets decide|agree +", kDecides, kMayTrouble},
    {"decision|decided|agreed :|- +", kDecides, kMayTrouble},
    {"we|i|they ?have ?#adv "
     "decided|agreed|chosen|chose|settled|standardized|standardised|picked|opted|ruled ?that|to +",
     kDecides, kMayTrouble | kNoPointer},
    {"?the|our|my ?#adj "
     "team|customer|client|boss|lead|board|architects|security|legal|management|auditor|auditors|"
     "compliance|operations|ops|partner|vendor ?team ?has|have "
     "decided|agreed|chose|wants|want|insists|insist|requires|require|asked|expects|demands|"
     "forbids +",
     kDecides, kMayTrouble},
    {"it was|is ?#adv decided|agreed +", kDecides, kMayTrouble},
    {"the decision is|was +", kDecides, kMayTrouble},
    {"we are going with|for +", kDecides, kMayTrouble | kNoPointer},
    {"we are going to #use + because|since|so +", kDecides, kMayTrouble},
    {"we stopped #ing +", kDecides, kNoPointer},
    {"we no longer +", kRule},
    {"we will #adv #use +", kDecides, kNoPointer},
    {"we|i ?will go|went with +", kDecides, kMayTrouble | kNoPointer},
    {"lets go|stick|stay|keep with|to|using +", kDecides, kMayTrouble | kNoPointer},
    {"we|i rejected|dropped|abandoned|discarded +", kDecides, kMayTrouble | kNoPointer},
    {"lets #use|keep|leave + because|since|so|as +", kDecides, kMayTrouble},
    {"we moved|switched|migrated * to|from|off +", kDecides, kNoPointer},

    // Conventions.
    {"we ?#adv #use +", kRule, kNoPointer | kMayTrouble},
    {"we ?#adv call|name|treat|keep|store|ship them|it|this|those|that +", kRule},
    {"we are a|an +", kIs, kValue | kNoPointer},
    {"#use|write + everywhere|throughout *", kRule, kNoPointer | kGeneral},
    {"~#use|write all|every +", kRule, kGeneral},
    {"you cannot #do + , it|its|that|because|since|we +", kRule, kMayTrouble | kNoPointer},
    {"~so|therefore never|always|dont|only +", kRule, kMayTrouble},
    {"+ on purpose", kIs, kNoPointer},
    {"+ by design", kIs, kNoPointer},
    {"+ deliberately|intentionally +", kIs, kNoPointer},
    {"we dont|never|do ?not|ever ?#adv #do +", kRule, kNoPointer | kMayTrouble},
    {"we must|may|cannot|never|only|always +", kRule, kMayTrouble | kNoPointer},
    {"we can not|only +", kRule, kMayTrouble},
    {"we have ?to ?#adv never|always|only +", kRule, kMayTrouble},
    {"we should never|always|not +", kRule, kMayTrouble},
    {"we are ?#adv on|limited|bound|required|obliged|allowed|forbidden|not|using|stuck +", kRule,
     kValue},
    {"we have one|two|three|four|five|no|only|our +", kIs},
    {"we have a|an + for|in|on|per|of|that|with|which|called +", kIs},
    {"we have +", kIs, kValue | kNoPointer},
    {"always|never|only ever +", kRule, kMayTrouble},
    {"in|for|within this|our|the|my ?whole ?#adj "
     "company|project|repo|repository|team|codebase|organization|organisation|workspace|monorepo|"
     "code ?base ?, +",
     kRule},
    {"internally|historically|officially|usually|generally|normally|typically|contractually|"
     "traditionally +",
     kRule, kNoPointer},
    {"~must|may|should never|not|only +", kRule, kMayTrouble},
    {"always|never +", kRule, kMayTrouble | kNoPointer},
    {"you must|should|may|can always|never|not|only +", kRule, kMayTrouble},
    {"dont|do ?not ever +", kRule, kMayTrouble},
    {"dont|do ?not #do * directly|without|unless +", kRule, kMayTrouble},
    {"dont|do ?not #do * directly|without|by|anymore|again|because|since|unless|in|on|to +", kRule,
     kMayTrouble | kReason},
    {"dont|do ?not #do * directly|anymore|again", kRule, kMayTrouble},
    {"dont|do ?not #do + , we|it|they|the|our|i|use|that +", kRule, kMayTrouble},
    {"dont|do ?not #do *", kRule, kCorrects | kMayTrouble},
    {"stop #ing +", kRule, kNoPointer},
    {"#use|#do + , not|never +", kRule, kNoPointer},
    {"#use + not +", kRule, kNoPointer | kGeneral},
    {"#use|#do + instead|rather of|than +", kRule, kNoPointer | kGeneral},
    {"#use + over +", kRule, kNoPointer | kGeneral},
    {"#use|#do|put|be *", kRule, kCorrects | kNoPointer | kValue},
    {"next time|in future ?, ?please +", kRule, kMayTrouble},
    {"~for|in new|all|every|each + use|prefer +", kRule},
    {"every|each|all|any|new|only + "
     "must|may|needs|need|goes|go|gets|get|starts|start|begins|begin|ends|end|lives|live|uses|use "
     "+",
     kRule},
    {"every|each|all|any|no + is|are|has|have +", kRule, kValue},
    {"nothing|nobody|none + without|before|unless|until|on|to|by +", kRule, kMayTrouble},
    {"the|our rule|convention|policy|standard|guideline|agreement is|says +", kRule, kMayTrouble},
    {"the + must|may ?not|never|always|only "
     "be|contain|use|have|run|touch|go|change|exceed|stay|start|end +",
     kRule},
    {"+ must +", kRule, kNoPointer | kMayTrouble},
    {"+ need|require a|an|two|three|no +", kRule, kNoPointer},
    {"i never|always|only +", kLikes, kNoPointer},
    {"i want|like|need|expect + to be +", kLikes, kNoPointer},
    {"+ should never|always|only +", kRule, kNoPointer},
    {"+ has|have only|no|at +", kIs, kNoPointer},
    {"+ need|needs|require|requires + first|before|from|approval|without *", kRule, kNoPointer},
    {"+ is|are not allowed|forbidden|banned|prohibited|mandatory|required *", kRule},
    {"+ is|are "
     "forbidden|banned|prohibited|mandatory|required|obligatory|reserved|deprecated|frozen|off-"
     "limits *",
     kRule},

    // Preferences.
    {"i ?#adv prefer|favor|favour|hate|dislike|detest +", kLikes, kNoPointer},
    {"i ?#adv like|love|want|expect|need +  ?to always|never|first|short|only", kLikes,
     kMayTrouble},
    {"i ?#adv like|love + better|more|best|short|over|when|without|with|in", kLikes, kNoPointer},
    {"i ?#adv like|love +", kLikes, kNoPointer | kValue},
    {"i dont|do ?not ?#adv like|want|need|use|trust +", kLikes, kNoPointer},
    {"i want|need|like|expect you to|never|always +", kLikes, kReason},
    {"i want|need|like you to always|never|only +", kLikes},
    {"i would rather|prefer +", kLikes, kNoPointer},
    {"i ?#adv use|write|work|speak|live|run|edit|review|read +", kLikes, kNoPointer},
    {"i am ?a|an ?#adv colorblind|colourblind|left-handed|responsible|dyslexic *", kLikes,
     kMayTrouble},
    {"i am ?#adv based|on|in|new|using +", kLikes, kValue},
    {"my + is|are|runs|has|uses +", kLikes, kNoPointer},
    {"call me +", kLikes},
    {"answer|reply|respond|talk|speak|explain ?to ?me ?always in|with|without|briefly +", kLikes,
     kCorrects},

    // What is so, and why.
    {"+ because|since +", kIs, kNoPointer},
    {"our + "
     "is|are|has|have|uses|use|runs|run|lives|live|needs|need|requires|require|expects|starts|"
     "begins|ends|accepts|allows|supports|belongs|comes|takes|costs|sits|talks|follows|goes +",
     kIs, kNoPointer},
    {"+ #env on|in|at|under|behind|to|from|every|only|after|before|until|with|as|for|by +", kIs,
     kValue | kNoPointer},
    {"+ #env +", kIs, kValue | kNoPointer},
    {"+ #env +", kIs, kReason | kNoPointer},
    {"+ #env|#state|uses|use|needs|need|wants|has|have + , not +", kIs, kNoPointer},
    {"+ #env +", kIs, kCorrects | kNoPointer},
    {"+ #state +", kIs, kNoPointer | kValue},
    {"+ owns|maintains|approves|prefers +", kIs, kNoPointer},
    {"our + start|starts|begin|begins|end|ends|go|goes|live|lives|belong|belongs "
     "with|in|on|to|at|after|before +",
     kIs, kMayTrouble},
    {"+ is|are ?#adv "
     "owned|maintained|handled|processed|billed|measured|computed|calculated|validated|rounded|"
     "numbered|served|exported|archived|rotated|triggered|released|wiped|partitioned|branched|"
     "versioned|encrypted|replicated|cached|forwarded|restricted|hosted|stored|deployed|built|"
     "generated|called|named|managed|run|written|kept|located|scheduled|limited|capped|pinned|"
     "shared|mirrored|signed|paid|reviewed|approved +",
     kIs, kNoPointer},
    {"+ is|are ?#adv on|in|at|behind|under|from|only|always|never|every|until + ", kIs,
     kValue | kNoPointer},
    {"+ is|are +", kIs, kCorrects | kValue},
    {"+ is|are|has|have + not +", kIs, kValue},
    {"+ is|are|was|were|has|have|had + because|since|so +", kIs},
    {"the|our|my + is|are +", kIs, kValue | kNoPointer},
    {"the|our + is|are + here|everywhere", kIs},
    {"+ is|are +", kIs, kValue | kNoPointer},
    {"+ ?only works|work with|on|in|over|behind|from +", kIs, kValue},
    {"+ does|do|doesnt|dont ?not "
     "support|allow|accept|have|know|take|handle|offer|speak|understand|follow|ship +",
     kIs, kNoPointer},
    {"+ uses|use|requires|require|needs|need|supports|expects|accepts|allows|speaks +", kIs,
     kValue | kNoPointer},
    {"that|it|this is ?only|just because +", kIs, kMayTrouble},
    {"the ?root ?real ?actual reason|cause is|was +", kIs, kMayTrouble},
    {"it|that|this failed|fails|happened|happens|crashed|broke because|since +", kIs, kMayTrouble},
    {"+ is|are the|our + for|of +", kIs, kNoPointer},
    {"+ returns|sends|writes|stores + in|as +", kIs, kNoPointer},
    {"because +", kIs, kMayTrouble | kNoPointer},
    {"there is|are no|only|two|three|four|five|a|an|one * "
     "for|in|on|per|between|of|by|from|until|every +",
     kIs, kValue},
    {"there is|are no|only +", kIs, kNoPointer},
    {"ask|contact|ping|talk + about|for|if|when|before +", kIs, kCorrects},
    {"it|that|this is|should|was|needs + not|instead +", kIs, kCorrects | kValue},
    {"it|that|this is +", kIs, kCorrects | kReason},
    {"+ not +", kIs, kCorrects | kValue},
    {"we|our|the +", kIs, kCorrects | kValue},
};

constexpr StatedList kEnglishLists[] = {
    {"adv",
     "always never only usually normally generally currently still now all both also deliberately "
     "really strongly typically mostly just already explicitly no longer strictly exclusively "
     "actually definitely much finally"},
    {"adj", "data frontend backend platform design billing product new other qa mobile web"},
    {"use",
     "use run deploy count report store keep call name write ship host release support require "
     "target build test follow prefer avoid do pin tag squash rebase merge review format lint log "
     "measure pay charge treat return send sign track version document publish rotate encrypt "
     "serve "
     "read speak work start begin end stick rely generate validate handle mock import export bill "
     "cache round put take set"},
    {"do",
     "use add commit push edit change touch create write delete remove merge rebase deploy run "
     "call "
     "log store put mock import install update upgrade modify rename send share print mix squash "
     "force amend bypass skip open start rely trust name show ask include explain translate "
     "reformat refactor generate hardcode swallow catch return cache publish release accept "
     "support allow keep need have pay work test take do ever speak document version"},
    {"ing",
     "adding using writing changing committing pushing asking explaining creating apologizing "
     "apologising summarizing summarising mocking touching editing printing reformatting "
     "translating importing generating putting"},
    {"env",
     "listens listen lives live runs run resides sits expires expire belongs belong points "
     "defaults "
     "happens happen starts start ends end begins begin closes opens comes come goes go rotates "
     "stays stay sends writes reads serves keeps replicates syncs deploys depends rejects times "
     "resets drops rejects shares share changes triggers switches accepts deletes caps logs "
     "holds contains lies talks connects counts forwards tracks pays signs charges bills"},
    {"state",
     "means equals costs lasts covers counts handles follow follows share shares expects expect"},
};

constexpr std::string_view kQuestionsEn =
    "attached here what what's how why who where when which whose can could would will shall may "
    "is are am do does did has "
    "have was were should tell show find look explain describe give list help make fix add write "
    "implement create "
    "remove delete rename refactor update change check review read open install generate convert "
    "translate "
    "summarize debug investigate try see search print move split convert sort paginate simplify "
    "document increase decrease set upgrade bump extract replace rebase commit push continue "
    "take draft "
    "compare train load plot download build deploy restart start rerun profile optimize optimise "
    "wrap "
    "inline port migrate configure connect enable disable validate test verify clean reset "
    "revert undo "
    "apply render style align adjust improve speed reduce ensure include exclude expose hide "
    "drop "
    "allow prevent let go look run merge send upload sketch reword shorten rewrite copy finish "
    "cut "
    "publish release tag";

constexpr std::string_view kTroublesEn =
    "fails fail failed failing broken error errors exception crash crashes crashed crashing "
    "wrong bug bugs "
    "missing slow hangs hang stuck empty red flaky timeout weird strange problem issue undefined "
    "null nothing garbage stacktrace traceback leak leaks regression unexpected incorrectly "
    "warning "
    "warnings question green passing down offline unavailable yesterday left think guess believe "
    "suspect seems seem probably later tomorrow done again second third variant option 404 403 401 "
    "500 502 503";

constexpr std::string_view kLocalsEn =
    "file files code function test line chart plot button headline header legend sum result "
    "output "
    "requirements branch trace site page paragraph image diff pr commit log screenshot variable "
    "loop "
    "condition error value script query icon list form field menu modal sidebar footer dropdown "
    "title "
    "label text link color layout need heading column row cell picture video build coverage usage "
    "it";

}  // namespace

StatedLanguage EnglishStated() {
  StatedLanguage english;
  english.forms = kEnglishForms;
  english.lists = kEnglishLists;
  english.openings =
      "no nope nah wrong incorrect actually well ok okay btw also and but so please hey note fyi "
      "hm "
      "hmm sorry yes yeah yep right thanks great good stop again oh ah wait careful important "
      "attention fine sure , : - \u2013 \u2014 ! by_the_way one_more_thing for_the_record "
      "just_so_you_know heads_up a_heads-up heads-up in_general note_that for_context "
      "remember_that";
  english.denials = "no nope nah wrong incorrect actually";
  english.questions = kQuestionsEn;
  english.supposes = "if suppose imagine assume unless maybe perhaps whether";
  english.pointers =
      "it this that these those them he she him her there something anything above below you your "
      "mind to here i we";
  english.troubles = kTroublesEn;
  english.locals = kLocalsEn;
  english.marks =
      "the a an is are we i our my not and of to with for never always it this that on use have "
      "has be "
      "by at from must only does do dont they you";
  english.values =
      "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays "
      "thursdays fridays saturdays sundays january february march april june july august september "
      "october "
      "november december utc midnight noon weekly daily monthly hourly nightly every only never "
      "always read-only production staging prod once minutes hours seconds days weeks percent";
  english.reasons = "because since so therefore otherwise as due";
  return english;
}

}  // namespace sidecar
