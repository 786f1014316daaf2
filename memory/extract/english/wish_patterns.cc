// Corrections, likes and aims.
#include <iterator>

#include "memory/extract/english/patterns.h"

namespace memory {
namespace {

constexpr FactCategory kLike = FactCategory::kUserPreference, kAim = FactCategory::kGoal,
                       kKnown = FactCategory::kKnowledge, kFixed = FactCategory::kCorrection;

constexpr PatternRow kWishes[] = {
    // Corrections.
    {"no|nope ?actually it is|'s|was|should", kFixed, .7, kFigure, "User corrects: "},
    {"no|nope ?actually that|this is|'s|was", kFixed, .7, kFigure, "User corrects: that is "},
    {"no|nope ?actually i|we @adv use|prefer|live|work|want|need|run", kFixed, .7, kNothing,
     "User corrects: "},
    {"no|nope ?actually the|my|our @np is|are|'s|was|were|runs|uses|has", kFixed, .7, kMayAddress,
     "User corrects: "},
    {"actually it is|'s|was", kFixed, .65, kFigure, "User corrects: "},
    {"actually that is|'s|was", kFixed, .65, kFigure, "User corrects: that is "},
    {"it should be @few not|instead", kFixed, .6, kNothing, "User corrects: "},
    {"actually the|my|our @np is|are|'s|was|runs|uses|has|lives|needs", kFixed, .65, kNothing,
     "User corrects: "},
    {"actually i|we live|work|prefer|use|moved|switched|want|need", kFixed, .65, kNothing,
     "User corrects: "},
    {"correction", kFixed, .75, kTwoWords, "User corrects: "},
    {"i @adv meant|mean ?to ?say", kFixed, .6, kFigure, "User meant "},
    {"that|this is|'s|was wrong|incorrect", kFixed, .7, kTwoWords, "User corrects: "},
    {"you are wrong|mistaken ?about", kFixed, .7, kTwoWords | kMayAddress, "User corrects: "},

    // Lasting wishes about the assistant.
    {"call me", kLike, .8, kMayAddress, "User wants to be called "},
    {"you can call me", kLike, .8, kMayAddress, "User wants to be called "},
    {"everyone|people|friends call|calls me", kLike, .7, kNothing, "User is called "},
    {"remind me", kAim, .75, kMayAddress | kTwoWords, "User wants to be reminded "},
    {"remember ?that my|i|our|we|the", kKnown, .75, kTwoWords | kMayAddress,
     "User wants remembered: "},
    {"from now on", kLike, .75, kTwoWords | kMayAddress, "User wants from now on: "},
    {"i ^want|need|like you to always|never", kLike, .75, kMayAddress},
    {"always|never use|write|run|commit|push|add|ask|show|answer|reply|respond|include|"
     "deploy|format|merge|explain|put|delete",
     kLike, .7, kMayAddress},
    {"i ^like|love|prefer|hate it when|if", kLike, .65, kMayAddress | kTwoWords},

    // Likes and dislikes.
    {"i @adv ^prefer|favor|favour", kLike, .7},
    {"i would @adv rather|prefer", kLike, .6, kTwoWords},
    {"i would @adv like|love to @do", kAim, .5, kTwoWords},
    {"my @few favorite|favourite|favorites|favourites ?@np is|are|was|'s|has|have ?to ?be", kLike,
     .65},
    {"@np is|are|'s @adv my ?all-time ?absolute favorite|favourite", kLike, .6, kMayEnd},
    {"i ^am ?not @adv ?a ?an ?@adv ?big|huge|massive|avid|great fan of", kLike, .6},
    {"i ^am @adv fond|obsessed|crazy|passionate|keen|picky", kLike, .55},
    {"i ^am @adv ?not into", kLike, .5},
    {"i ^am @adv scared|afraid|terrified of", kLike, .5},
    {"i ^am @adv allergic|intolerant to", kLike, .75},
    {"i ^am ?a ?@adv vegetarian|vegan|pescatarian|left-handed|colorblind|lactose", kLike, .7,
     kMayEnd},
    {"i @adv ^don't|dont @adv like|enjoy|eat|drink|use|trust", kLike, .55},
    {"we @adv love|enjoy|prefer|like|hate", kLike, .5},
    {"i ^have @adv been passionate|interested|obsessed|fascinated|allergic", kLike, .55},
    {"i @adv ^can't|cannot stand|bear|tolerate", kLike, .6},
    {"i @adv ^love|adore|enjoy|hate|dislike|detest|despise", kLike, .55},
    {"i @adv ^like", kLike, .55},
    {"i @freq ^@habit", kLike, .5},

    // Aims.
    {"my @few goal|dream|plan|aim|objective|ambition|deadline|target is|'s", kAim, .65, kTwoWords},
    {"i ^am @adv planning|hoping|aiming|intending|determined|preparing|hoping to @do", kAim, .55,
     kTwoWords},
    {"i ^am @adv planning|preparing on|for|a|an|our|my", kAim, .55},
    {"i ^am @adv trying|learning|training|working ?hard to @do", kAim, .5, kTwoWords},
    {"i ^am @adv training|saving|studying|applying|working ?up ?hard on|for|toward|towards", kAim,
     .5, kTwoWords},
    {"i ^am @adv going to @do", kAim, .5, kTwoWords},
    {"i ^am @adv going to|on|for @det", kAim, .5, kFutureTime | kTwoWords},
    {"i ^am @adv gonna @do", kAim, .5, kTwoWords},
    {"i ^am @adv looking|searching|hunting for|into", kAim, .5},
    {"i ^am @adv thinking of|about @ing", kAim, .48, kTwoWords},
    {"i ^am @adv considering @ing", kAim, .5},
    {"i ^am @adv @ing", kAim, .5, kFutureTime | kTwoWords},
    {"i ^am @adv "
     "writing|filming|recording|exploring|researching|building|developing|designing|creating|"
     "organizing|organising|renovating",
     kAim, .48, kTwoWords},
    {"i have always wanted to @do", kAim, .55, kTwoWords},
    {"i ^am @adv learning", kAim, .5},
    {"i ^have decided to", kAim, .6, kTwoWords},
    {"i @adv decided to @do", kAim, .55, kTwoWords},
    {"i @adv ^want|plan|hope|intend|aim|aspire|wish to @do", kAim, .55, kTwoWords},
    {"i @adv ^need|want", kAim, .5, kFutureTime},
    {"i @adv ^wanna|gotta @do", kAim, .5, kTwoWords},
    {"i @adv ^need|have|must to @do", kAim, .5, kTwoWords},
    {"i will @adv @do", kAim, .5, kFutureTime | kTwoWords},
    {"i ^have @adv ?got a|an|my @few appointment|interview|meeting|exam|flight|trip|deadline|test",
     kAim, .6, kFutureTime},
    {"i|we ^have @adv ?got a|an|my|another|our @own", kAim, .55, kFutureTime | kMayEnd | kNoPraise},
    {"we are @adv planning|going|hoping|gonna ?to @do", kAim, .5, kTwoWords},
    {"we @adv want|plan|need|hope to @do", kAim, .5, kTwoWords},

};

}  // namespace

PatternRows EnglishWishes() { return {kWishes, std::size(kWishes)}; }

}  // namespace memory
