// The forms in which people state what lasts: conventions, decisions, corrections, preferences and
// facts of their environment, by language. stated.cc reads them. Tables alone.
#pragma once

#include <span>
#include <string_view>

namespace sidecar {

enum class StatedKind { kDecision, kConvention, kPreference, kFact };

// What the rest of the sentence has to have, beside the words of the form.
enum StatedNeeds : unsigned {
  kAlone = 0,
  kValue = 1,        // a number, a name, a weekday, or a word of `values`
  kCorrects = 2,     // the sentence begins with "No," or the like
  kReason = 4,       // a word of `reasons`
  kNoPointer = 8,    // neither the subject nor the word behind the form is of `pointers`
  kMayTrouble = 16,  // words of `troubles` do not matter
  kGeneral = 32      // no word of `pointers` in the whole sentence
};

// `words`: alternatives by |, ? before what may be absent, * for up to eight words, + for one to
// eight; #verb and the like name a list of the language. A form begins at the first word behind
// the openings; ~ before it: at any word.
struct StatedForm {
  std::string_view words;
  StatedKind kind;
  unsigned needs = kAlone;
};

struct StatedList {
  std::string_view name, words;  // words by blanks; a word that ends in * is a beginning
};

// Every list holds words by blanks.
struct StatedLanguage {
  std::span<const StatedForm> forms;
  std::span<const StatedList> lists;
  std::string_view openings;   // left out before the form; _ joins the words of a phrase
  std::string_view denials;    // openings that correct what was done or said
  std::string_view questions;  // a sentence that begins so asks or asks for work
  std::string_view supposes;   // it supposes something
  std::string_view pointers;   // what is meant is outside the sentence
  std::string_view troubles;   // it reports a fault of now
  std::string_view locals;     // as a subject it is part of the work at hand
  std::string_view values;
  std::string_view reasons;
  std::string_view marks;  // words that tell the language
  bool capitals = true;    // a capital letter is a name
};

}  // namespace sidecar
