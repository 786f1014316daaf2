// Scores are added, not reciprocal ranks, which lose to words alone (docs/adr: meaning without a
// model).
#include "memory/model/fusion.h"

#include <algorithm>
#include <functional>

namespace memory {
namespace {

// n(d) = (d − mean) / (max − mean) of one kind of cosine over all rows.
struct Normal {
  double mean = 0, spread = 0;

  template <class Of>
  Normal(std::span<const Similarity> near, const Of& of) {
    double most = -1, sum = 0;
    for (const Similarity& row : near) {
      sum += of(row);
      most = std::max<double>(most, of(row));
    }
    mean = near.empty() ? 0 : sum / static_cast<double>(near.size());
    spread = most - mean;
  }
  // A row alone is the nearest.
  double operator()(double cosine) const { return spread > 0 ? (cosine - mean) / spread : 1; }
};

// The value of the row at `place` when they are ordered from the highest, or 0.
double ValueAt(std::vector<double> values, size_t place) {
  if (place == 0 || place > values.size()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(place - 1);
  std::nth_element(values.begin(), at, values.end(), std::greater<>());
  return *at;
}

// The cosine that decides whether a row takes part, and which rows are the nearest.
float AdmittedBy(const Similarity& row, Admission admission) {
  return admission == Admission::kWindow ? std::max(row.window, row.own) : row.own;
}

}  // namespace

void NameMethods(std::vector<Ranked>& rows, size_t limit) {
  std::vector<double> lexical, similar;
  for (const Ranked& row : rows) {
    if (row.lexical > 0) lexical.push_back(row.lexical);
    if (row.similarity) similar.push_back(*row.similarity);
  }
  const double last_lexical = ValueAt(std::move(lexical), limit);
  const double last_similar = similar.size() < limit ? -1 : ValueAt(std::move(similar), limit);
  for (Ranked& row : rows) {
    const bool by_words = row.lexical > 0 && row.lexical >= last_lexical;
    const bool by_meaning = row.similarity && *row.similarity >= last_similar;
    if (by_words != by_meaning)
      row.method = by_words ? Method::kLexical : Method::kEmbedding;
    else
      row.method = row.similarity ? Method::kFused : Method::kLexical;
  }
}

std::vector<Similarity> NearestOthers(std::span<const int64_t> slots,
                                      std::span<const Similarity> near, float floor,
                                      Admission admission, size_t most) {
  std::vector<Similarity> others;
  others.reserve(near.size());
  auto known = slots.begin();
  for (const Similarity& row : near) {
    while (known != slots.end() && *known < row.slot) ++known;
    if (known != slots.end() && *known == row.slot) continue;
    if (admission == Admission::kNearest || AdmittedBy(row, admission) >= floor)
      others.push_back(row);
  }
  if (others.size() <= most) return others;
  std::nth_element(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(most), others.end(),
                   [&](const Similarity& a, const Similarity& b) {
                     const float left = AdmittedBy(a, admission);
                     const float right = AdmittedBy(b, admission);
                     return left != right ? left > right : a.slot > b.slot;
                   });
  others.resize(most);
  std::sort(others.begin(), others.end(),
            [](const Similarity& a, const Similarity& b) { return a.slot < b.slot; });
  return others;
}

std::vector<Ranked> Fuse(std::span<const Scored> lexical, std::span<const Similarity> near,
                         const FusionWeights& weights, Admission admission, size_t most,
                         size_t limit) {
  std::vector<Ranked> rows;
  rows.reserve(lexical.size());
  for (const Scored& row : lexical) rows.push_back({row.slot, row.score, row.score, {}, {}});
  if (near.empty()) return rows;
  std::sort(rows.begin(), rows.end(),
            [](const Ranked& a, const Ranked& b) { return a.slot < b.slot; });
  const Normal window(near, [](const Similarity& row) { return row.window; });
  const Normal own(near, [](const Similarity& row) { return row.own; });
  // Below the mean is no nearer than any row, unless the nearest are the answer.
  const double least = admission == Admission::kNearest ? -2 : 0;
  auto meaning = [&](const Similarity& row) {
    return weights.meaning * (std::max(least, window(row.window)) +
                              (weights.own ? std::max(least, own(row.own)) : 0));
  };
  double best = 0;
  for (const Ranked& row : rows) best = std::max(best, row.lexical);
  auto at = near.begin();
  for (Ranked& row : rows) {
    row.score = best > 0 ? (1 - weights.meaning) * row.lexical / best : 0;
    while (at != near.end() && at->slot < row.slot) ++at;
    if (at == near.end() || at->slot != row.slot) continue;
    row.similarity = at->window;
    row.score += meaning(*at);
  }
  std::vector<int64_t> slots;
  slots.reserve(rows.size());
  for (const Ranked& row : rows) slots.push_back(row.slot);
  for (const Similarity& row : NearestOthers(slots, near, weights.floor, admission, most))
    if (const double score = meaning(row); score > 0 || admission == Admission::kNearest)
      rows.push_back({row.slot, score, 0, row.window, Method::kEmbedding});
  NameMethods(rows, limit);
  return rows;
}

bool IsRankedBefore(const Ranked& a, const Ranked& b) {
  return a.score != b.score ? a.score > b.score : a.slot > b.slot;
}

}  // namespace memory
