// Mends JSON that agents make of what tools print: a filter over its bytes in front of the strict
// parser, which stays the only parser (ADR 47). What is no JSON passes and is refused there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/json/mend_text.h"

namespace base {

// What was changed. Each place where text was replaced or left out has U+FFFD.
struct JsonMends : TwinKeys {
  bool characters = false;  // NUL, half surrogate pairs, bytes that are not UTF-8: U+FFFD
  bool cut = false;         // long strings to head and tail; the rest of long lists is left out
  bool levels = false;      // what lies deeper than the limit is the text of its JSON
  bool numbers = false;     // out of range, NaN, Infinity: their text
};

// Bounded: holds little more than `max_bytes`, whatever it takes. Valid JSON that is shorter, with
// strings that are not cut (StringRoom), passes unchanged. Linear.
class JsonMender {
 public:
  explicit JsonMender(size_t max_bytes, size_t max_depth = JsonLimits().max_depth);

  void Take(std::string_view bytes);
  std::string Finish();  // what was taken, mended; once
  const JsonMends& mends() const { return mends_; }
  size_t bytes() const { return out_.size(); }  // that it holds

 private:
  enum class Mode { kPlain, kText, kSkip };
  size_t TakeOutside(char c);
  size_t TakeNested(char c);
  size_t TakeInString(std::string_view rest);
  size_t TakeEscape(char c);
  size_t TakeUtf8(char c);
  void TakeCodeUnit();
  void AddUnit(std::string_view unit);  // of a string; never a part of a character
  void WriteUnit(std::string_view unit);
  void Replace();
  void Put(char c);
  void Open(char bracket);
  void Close(char bracket);
  void EndToken();
  void BeginString();
  void EndString();
  bool IsFull() const;
  void BeginSkip();

  const size_t max_bytes_, max_depth_;
  std::string out_;
  JsonMends mends_;
  Mode mode_ = Mode::kPlain;
  size_t level_ = 0;  // of brackets, inside of kText or kSkip
  struct Container {
    char bracket;
    size_t values;
  };
  std::vector<Container> open_;
  size_t values_ = 0;
  bool in_string_ = false;
  CutString string_;                  // the one that is written
  std::string escape_, high_, utf8_;  // begun; a high surrogate that waits for the low one
  size_t token_ = std::string::npos;  // where a number or a word begins in out_
  bool token_cut_ = false;
};

struct MendedJson {
  Json value;
  JsonMends mends;
};

// The strict parser's value; where it refuses the text, that of the mended text. kInvalid: it is no
// JSON.
Result<MendedJson> ReadMendedJson(std::string_view text, size_t max_bytes);
Result<MendedJson> ReadMendedJson(JsonMender& taken);  // what it took

}  // namespace base
