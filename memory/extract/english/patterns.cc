// Both tables as one, read once.
#include "memory/extract/english/patterns.h"

#include <vector>

#include "memory/extract/english/word_classes.h"

namespace memory {

const Patterns& EnglishPatterns() {
  static const Patterns patterns = [] {
    std::vector<PatternRow> rows;
    for (const PatternRows& table : {EnglishWishes(), EnglishStatements()})
      rows.insert(rows.end(), table.rows, table.rows + table.count);
    return Patterns(std::move(rows), EnglishClasses());
  }();
  return patterns;
}

}  // namespace memory
