// One table a language; another language is another table. Longer phrases win over shorter ones.
#include "sidecar/rules/remember_forms.h"

namespace sidecar {
namespace {

using Phrases = std::string_view[];

// English
constexpr Phrases kOpenings = {"please",
                               "hey",
                               "hi",
                               "ok",
                               "okay",
                               "oh",
                               "also",
                               "and",
                               "so",
                               "btw",
                               "by the way",
                               "one more thing",
                               "note",
                               "i want you to",
                               "i would like you to",
                               "i'd like you to",
                               "i need you to",
                               "you should",
                               "you must",
                               "make sure to",
                               "make sure you",
                               "be sure to",
                               "important"};
constexpr Phrases kQuestions = {"can you", "could you", "would you", "will you"};
constexpr Phrases kRequests = {"remember",
                               "don't forget",
                               "do not forget",
                               "never forget",
                               "keep in mind",
                               "bear in mind",
                               "make a note",
                               "take note",
                               "take a note",
                               "memorize",
                               "memorise",
                               "note to self",
                               "save to memory",
                               "save this to memory",
                               "save to your memory",
                               "store in memory",
                               "add to memory",
                               "add to your memory",
                               "add this to your memory",
                               "commit to memory",
                               "for the record"};
constexpr Phrases kAdditions = {
    "this",           "the following", "please",    "of this",     "for me", "for next time",
    "for the future", "in the future", "for later", "from now on", "also"};
constexpr Phrases kConnectives = {"that", "to"};
constexpr Phrases kSubjects = {"i",      "we",    "i'm",     "we're",    "i've",
                               "we've",  "it's",  "there's", "there is", "there are",
                               "always", "never", "not to"};
constexpr Phrases kAsking = {"what", "who", "when",    "where", "which",
                             "how",  "why", "whether", "if"};
constexpr Phrases kStanding = {"from now on",        "from here on", "going forward",
                               "from this point on", "in future",    "in the future"};
constexpr Phrases kEverywhere = {"everywhere",           "globally",
                                 "for all projects",     "in all projects",
                                 "for every project",    "in every project",
                                 "in all my projects",   "for all my projects",
                                 "for all repositories", "in all repositories",
                                 "across projects",      "in every repository"};

// German
constexpr Phrases kOpeningsDe = {"bitte",      "hey",      "hallo",  "ok",     "okay",
                                 "auch",       "und",      "ach",    "ach ja", "also",
                                 "noch etwas", "übrigens", "wichtig"};
constexpr Phrases kQuestionsDe = {"kannst du", "könntest du", "würdest du"};
constexpr Phrases kRequestsDe = {"merke dir",    "merk dir",      "merk dir's",      "dir merken",
                                 "merken",       "denk daran",    "denke daran",     "denk dran",
                                 "daran denken", "vergiss nicht", "behalte im kopf", "behalte",
                                 "behalte dir",  "notiere",       "notiere dir",     "notier dir",
                                 "notier",       "zur erinnerung"};
constexpr Phrases kAdditionsDe = {
    "bitte",   "dir", "das", "folgendes", "für später", "für das nächste mal", "fürs nächste mal",
    "künftig", "auch"};
constexpr Phrases kConnectivesDe = {"dass", "daß"};
constexpr Phrases kSubjectsDe = {"ich", "wir", "es gibt"};
constexpr Phrases kAskingDe = {"was",     "wer", "wann",  "wo", "welche",
                               "welcher", "wie", "warum", "ob"};
constexpr Phrases kStandingDe = {"ab jetzt", "ab sofort",  "von jetzt an", "von nun an",
                                 "künftig",  "in zukunft", "zukünftig"};
constexpr Phrases kEverywhereDe = {"überall",
                                   "global",
                                   "für alle projekte",
                                   "in allen projekten",
                                   "in allen meinen projekten",
                                   "für alle meine projekte"};

constexpr RememberForms kForms[] = {
    {kOpenings, kQuestions, kRequests, kAdditions, kConnectives, kSubjects, kAsking, kStanding,
     kEverywhere},
    {kOpeningsDe, kQuestionsDe, kRequestsDe, kAdditionsDe, kConnectivesDe, kSubjectsDe, kAskingDe,
     kStandingDe, kEverywhereDe}};

}  // namespace

std::span<const RememberForms> AllRememberForms() { return kForms; }

}  // namespace sidecar
