// Word lists. Stemming joins regular forms (deploys, deployed); what it cannot join stands here.
#include "memory/model/word_lists.h"

#include <sstream>
#include <unordered_map>
#include <unordered_set>

namespace memory {
namespace {

constexpr const char* kFunctionWords =
    "a about above across after again against all almost along already also although always am "
    "among an "
    "and another any anybody anyone anything anywhere are aren around as at away be became because "
    "become "
    "been before behind being below beneath beside besides between beyond both but by can cannot "
    "could "
    "couldn d did didn do does doesn doing don done down during each either else ever every "
    "everybody "
    "everyone everything everywhere few for from further had hadn has hasn have haven having he "
    "her here "
    "hers herself hey him himself his how however i if in inside instead into is isn it its itself "
    "just "
    "let ll m many may maybe me might mine more most much must my myself near neither never no "
    "nobody none "
    "nor not nothing now nowhere of off often on once one only onto or other others otherwise our "
    "ours "
    "ourselves out outside over own per perhaps please quite rather re really s same seem seemed "
    "seems "
    "several shall she should shouldn since so some somebody someone something sometimes somewhere "
    "still "
    "such t than that the their theirs them themselves then there therefore these they this those "
    "though "
    "through throughout thus to together too toward towards under until unless up upon us ve very "
    "via was "
    "wasn we were weren what whatever when whenever where wherever whether which whichever while "
    "who "
    "whoever whom whose why will with within without won would wouldn yes yet you your yours "
    "yourself "
    "yourselves";

constexpr const char* kTimeWords =
    "today yesterday tomorrow tonight monday tuesday wednesday thursday friday saturday sunday "
    "january "
    "february march april june july august september october november december jan feb mar apr jun "
    "jul "
    "aug sep sept oct nov dec day days week weeks weekend weekends month months year years hour "
    "hours "
    "minute minutes ago last next morning afternoon evening night noon midnight spring summer "
    "autumn fall "
    "winter since until recently lately soon daily weekly monthly yearly annual anniversary "
    "birthday";

constexpr const char* kNumberWords =
    "one two three four five six seven eight nine ten eleven twelve dozen hundred thousand once "
    "twice couple few several";

// One group a line; a form may stand in one group only.
constexpr const char* kIrregular = R"(
arise arose arisen
awake awoke awoken
bear bore borne
beat beaten
begin began begun
bend bent
bet
bind bound
bite bit bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
cling clung
come came
creep crept
deal dealt
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone goes
grind ground
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known
lay laid
lead led
lean leant
learn learnt
leap leapt
leave left
lend lent
lie lain
light lit
lose lost
make made
mean meant
meet met
pay paid
prove proven
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
sew sewn
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
speed sped
spend spent
spin spun
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
strike struck stricken
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
weep wept
win won
wind wound
withdraw withdrew withdrawn
write wrote written
child children
person people
man men
woman women
mouse mice
foot feet
tooth teeth
goose geese
wife wives
life lives
knife knives
leaf leaves
half halves
shelf shelves
self selves
index indices indexes
vertex vertices
matrix matrices
criterion criteria
good better best
bad worse worst
far farther farthest
)";

std::unordered_set<std::string> SetOf(const char* words) {
  std::istringstream in(words);
  std::unordered_set<std::string> set;
  for (std::string word; in >> word;) set.insert(word);
  return set;
}

std::unordered_map<std::string, std::vector<std::string>> Groups() {
  std::istringstream lines(kIrregular);
  std::unordered_map<std::string, std::vector<std::string>> groups;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::vector<std::string> forms;
    for (std::string word; in >> word;) forms.push_back(word);
    for (const std::string& form : forms) groups.emplace(form, forms);
  }
  return groups;
}

}  // namespace

bool IsFunctionWord(std::string_view folded) {
  static const auto kSet = SetOf(kFunctionWords);
  return kSet.count(std::string(folded)) > 0;
}

bool IsTimeWord(std::string_view folded) {
  static const auto kSet = SetOf(kTimeWords);
  return kSet.count(std::string(folded)) > 0;
}

bool IsNumberWord(std::string_view folded) {
  static const auto kSet = SetOf(kNumberWords);
  return kSet.count(std::string(folded)) > 0;
}

const std::vector<std::string>& IrregularForms(std::string_view folded) {
  static const auto kGroups = Groups();
  static const std::vector<std::string> kNone;
  auto found = kGroups.find(std::string(folded));
  return found == kGroups.end() ? kNone : found->second;
}

}  // namespace memory
