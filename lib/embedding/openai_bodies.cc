// The vectors of an answer may have any order: `index` is the number of the text.
#include "lib/embedding/openai_bodies.h"

#include <algorithm>
#include <cmath>

#include "lib/base/json/json.h"
#include "lib/base/text/text.h"

namespace embedding {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

namespace {

constexpr size_t kBytesOfNumber = 32, kBytesAround = 64 << 10;

Error Unusable(const std::string& why) {
  return {Code::kInvalid, "the answer of the embedding endpoint is unusable: " + why};
}

Result<std::vector<int8_t>> VectorOf(const Json& values) {
  if (!values.is_array() || values.empty()) return Unusable("an embedding is no list of numbers");
  if (values.size() > kMostAnswerDimensions)
    return Unusable("an embedding has " + std::to_string(values.size()) + " dimensions, at most " +
                    std::to_string(kMostAnswerDimensions) + " are taken");
  double most = 0;
  for (const Json& value : values) {
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      return Unusable("an embedding contains a value that is not a number");
    most = std::max(most, std::abs(value.get<double>()));
  }
  if (most == 0) return Unusable("an embedding holds zeros alone");
  std::vector<int8_t> vector;
  vector.reserve(values.size());
  for (const Json& value : values)
    vector.push_back(static_cast<int8_t>(std::lround(value.get<double>() / most * 127)));
  return vector;
}

}  // namespace

std::string EncodeEmbeddingRequest(const std::string& model, const std::vector<std::string>& texts,
                                   size_t dimensions) {
  Json body = {{"model", model}, {"encoding_format", "float"}};
  Json& input = body["input"] = Json::array();
  for (const std::string& text : texts) input.push_back(text);
  if (dimensions > 0) body["dimensions"] = dimensions;
  return base::DumpJson(body);
}

size_t MostAnswerBytes(size_t texts) {
  return texts * kMostAnswerDimensions * kBytesOfNumber + kBytesAround;
}

Result<std::vector<std::vector<int8_t>>> DecodeEmbeddingAnswer(std::string_view body, size_t texts,
                                                               size_t dimensions) {
  const Result<Json> answer = base::ParseJson(body);
  if (!answer) return Unusable("it is no JSON");
  const Json* rows = answer->is_object() ? base::At(*answer, {"data"}) : nullptr;
  if (!rows || !rows->is_array()) return Unusable("it has no list \"data\"");
  if (rows->size() != texts)
    return Unusable("it has " + std::to_string(rows->size()) + " embeddings for " +
                    std::to_string(texts) + " texts");
  std::vector<std::vector<int8_t>> vectors(texts);
  size_t place = 0;
  for (const Json& row : *rows) {
    if (!row.is_object() || !row.contains("embedding")) return Unusable("an embedding is missing");
    const Json index = row.value("index", Json(place++));
    if (!index.is_number_unsigned() || index.get<size_t>() >= texts ||
        !vectors[index.get<size_t>()].empty())
      return Unusable("an index is out of range or there twice");
    ASSIGN_OR_RETURN(std::vector<int8_t> vector, VectorOf(row["embedding"]));
    if (dimensions == 0) dimensions = vector.size();
    if (vector.size() != dimensions)
      return Unusable("an embedding has " + std::to_string(vector.size()) + " dimensions, not " +
                      std::to_string(dimensions));
    vectors[index.get<size_t>()] = std::move(vector);
  }
  return vectors;
}

}  // namespace embedding
