// What a resident index reads of a row, and keeps of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/model/piece_meaning.h"
#include "memory/model/postings.h"
#include "memory/model/range_pieces.h"
#include "memory/model/range_vectors.h"
#include "memory/sqlite/ranking/fts5_tokens.h"

namespace memory {

struct RowTexts {
  Record facts;  // without hits
  std::string title, content, tags, grams, vector;
  std::vector<Piece> pieces;  // of NotePieces
};

// The rows with slots from ?1 to ?2, at most ?4, with their vectors of the model ?3.
extern const char* const kSelectRowTexts;
RowTexts RowTextsAt(const sqlite::Statement& row);  // of kSelectRowTexts
void NotePieces(const PieceMeaning& meaning, std::span<RowTexts> rows);

RangeIndex::NewRow RowOf(const RowTexts& texts, const Tokens& tokens);
void PutVectors(std::span<const RowTexts> rows, RangeVectors& vectors);
void PutPieces(std::span<const RowTexts> rows, RangePieces& pieces);

}  // namespace memory
