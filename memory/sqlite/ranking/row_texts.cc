// Reads the texts and facts of rows for resident indexes.
#include "memory/sqlite/ranking/row_texts.h"

#include "memory/model/embedded_text.h"
#include "memory/model/words.h"
#include "memory/sqlite/ranking/near_rows.h"

namespace memory {

const char* const kSelectRowTexts =
    "SELECT slot, session, position, words, created_ms, title, content, tags, grams, "
    "(SELECT v.vector FROM vectors v WHERE v.slot = o.slot AND v.model = ?3) "
    "FROM observations o WHERE slot BETWEEN ?1 AND ?2 AND deleted_ms IS NULL "
    "ORDER BY slot LIMIT ?4";

RowTexts RowTextsAt(const sqlite::Statement& row) {
  RowTexts texts{{row.Int(0), row.Int(1), row.Int(2), row.Int(3), 0, row.Int(4), {}},
                 row.Text(5),
                 row.Text(6),
                 row.Text(7),
                 row.Text(8),
                 row.Text(9),
                 {}};
  texts.facts.flags = FlagsOf(texts.content);  // rows of former versions lack some
  return texts;
}

void NotePieces(const PieceMeaning& meaning, std::span<RowTexts> rows) {
  for (RowTexts& row : rows) row.pieces = meaning.PiecesOf(EmbeddedText(row.title, row.content));
}

RangeIndex::NewRow RowOf(const RowTexts& texts, const Tokens& tokens) {
  return {texts.facts, tokens.OfRow(texts.title, texts.content, texts.tags, texts.grams)};
}

void PutVectors(std::span<const RowTexts> rows, RangeVectors& vectors) {
  std::vector<RangeVectors::NewRow> made;
  for (const RowTexts& row : rows) {
    const Record& facts = row.facts;
    made.push_back({facts.slot, facts.session, facts.position, AsVector(row.vector)});
  }
  vectors.Put(made);
}

void PutPieces(std::span<const RowTexts> rows, RangePieces& pieces) {
  for (const RowTexts& row : rows) pieces.Put(row.facts.slot, row.pieces);
}

}  // namespace memory
