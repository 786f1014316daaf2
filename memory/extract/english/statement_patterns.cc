// Decisions, events, descriptions of people and things.
#include <iterator>

#include "memory/extract/english/patterns.h"

namespace memory {
namespace {

// Not the names of wish_patterns.cc: both may be one unit.
constexpr FactCategory kDone = FactCategory::kEpisodic, kIs = FactCategory::kKnowledge;

constexpr PatternRow kStatements[] = {
    // Decisions and what a group uses.
    {"we have|'ve @adv decided|agreed|chosen|settled", kIs, .7, kTwoWords | kByAnySpeaker},
    {"we @adv decided|agreed|chose|settled|picked|opted", kIs, .7, kTwoWords | kByAnySpeaker},
    {"we are going|gonna with|use", kIs, .65, kByAnySpeaker},
    {"we @adv use|run|deploy|host|store|build|ship|require|support|target|release", kIs, .6},

    // Events.
    {"i ^have @adv @part", kDone, .5, kTwoWords},
    {"i @adv got engaged|married|promoted|hired|fired|accepted|divorced|laid|diagnosed", kDone, .7,
     kMayEnd},
    {"i @adv got a|an|my|the @few job|promotion|offer|dog|cat|puppy|kitten|house|car|degree|award",
     kDone, .6, kMayEnd},
    {"i @adv graduated|retired|resigned", kDone, .6, kPastTime | kMayEnd},
    {"i|we @adv @event", kDone, .52, kTwoWords},
    {"i|we @adv @past", kDone, .5, kPastTime | kTwoWords},
    {"i|we was|were @adv at|in|on", kDone, .45, kPastTime | kTwoWords},
    {"i|we ^have been to", kDone, .5},
    {"i|we @adv went to", kDone, .48, kFigure | kTwoWords},
    {"we are on", kIs, .5, kFigure},
    {"my @own @adv @event", kDone, .55, kNothing},
    {"my @own @adv @past", kDone, .5, kPastTime | kTwoWords},

    // Who the user is.
    {"my @few name is|'s", kIs, .8},
    {"my @few birthday|anniversary|wedding is|'s", kIs, .75},
    {"i @adv ^live|reside in|at|near|with|on", kIs, .7},
    {"i @adv ^work|teach|study|volunteer at|for|as|in|with|on|from", kIs, .65},
    {"i ^am @adv from|based", kIs, .65},
    {"i ^am @adv in", kIs, .5, kFigure},
    {"i was born|raised in|on", kIs, .65},
    {"i grew up in|on|with|near", kIs, .65},
    {"i ^am ?@adv married|divorced|retired|pregnant|engaged|single|diabetic|dyslexic", kIs, .65,
     kMayEnd},
    {"i ^am a|an @own", kIs, .6, kMayEnd},
    {"i ^have @adv been @ing", kIs, .5, kTwoWords | kNoPraise},
    {"i ^am @adv taking|doing|playing|teaching|volunteering|coaching|mentoring|renting", kIs, .45,
     kTwoWords | kNoPraise},
    {"i ^have been a|an @np for|since", kIs, .6},
    {"i ^am @adv ?a part|member of", kIs, .55},
    {"i used to have|be|own", kIs, .5, kTwoWords},
    {"i used to @habit", kIs, .5, kTwoWords},
    {"i @adv ^own|speak|drive|collect|coach|manage|lead|maintain|code|play", kIs, .5},
    {"i @adv ^use|run|write", kIs, .5},
    {"i|we ^have ?got a|an|one|two|three|four|five|six @own", kIs, .52, kMayEnd | kNoPraise},
    {"my @own lives|works|plays|teaches|studies|owns|runs|uses|prefers|hates|loves|likes", kIs,
     .55},
    {"my @own is|are|'s|was|were called|named", kIs, .65},
    {"my @own is|are|'s|was|were", kIs, .5, kTwoWords | kNoPraise},

    // What a thing is or uses.
    {"our @own is|are|'s|uses|use|runs|run|has|have|needs|requires|lives|depends", kIs, .55,
     kTwoWords | kByAnySpeaker | kNoPraise},
    {"the @setting @few is|are|'s", kIs, .55, kFigure | kByAnySpeaker},
    {"the @np uses|use|requires|require|supports|needs", kIs, .5, kByAnySpeaker},
    {"the @np runs|depends|listens|lives|expires|defaults|belongs on|at|in|under|to|after", kIs, .5,
     kByAnySpeaker},
    {"the @np is|are written|stored|hosted|deployed|built|located|owned|maintained|called|named|"
     "based|scheduled|configured|encrypted",
     kIs, .5, kByAnySpeaker},
    {"@name uses|requires|supports|needs", kIs, .5, kByAnySpeaker},
    {"@name runs|depends|listens|lives|expires|defaults|belongs on|at|in|under|to|after", kIs, .5,
     kByAnySpeaker},
    {"@name stands|stand for", kIs, .5, kByAnySpeaker},
    {"@name is|are written|stored|hosted|deployed|built|located|owned|maintained|called|scheduled",
     kIs, .5, kByAnySpeaker},

    // What the assistant did.
    {"i ^have @adv "
     "fixed|migrated|deployed|released|merged|renamed|upgraded|installed|created|added|"
     "removed|implemented|refactored|configured|updated|replaced|switched",
     kDone, .52, kByAnySpeaker | kTwoWords},
    {"i @adv fixed|migrated|deployed|released|merged|renamed|upgraded|installed|created|added|"
     "removed|implemented|refactored|configured|updated|replaced|switched",
     kDone, .52, kByAnySpeaker | kTwoWords},
};

}  // namespace

PatternRows EnglishStatements() { return {kStatements, std::size(kStatements)}; }

}  // namespace memory
