// Packing: round trips, and the sizes of similar texts.
#include "lib/kube/cache/packing.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace kube {
namespace {

std::string Words(std::mt19937_64& random, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += std::to_string(random()) + (random() % 2 ? "\0" : "\xff");
  return text;
}

TEST(Packing, RoundTripsEveryText) {
  std::mt19937_64 random(7);
  Packing packing;
  std::vector<std::string> texts = {"", "a", std::string(200'000, 'x'), Words(random, 100'000)};
  for (int i = 0; i < 300; ++i) texts.push_back(Words(random, random() % 5'000));
  std::vector<Packing::Packed> all;
  for (const std::string& text : texts) all.push_back(packing.Pack(text));
  for (size_t i = 0; i < texts.size(); ++i)
    ASSERT_EQ(Packing::Unpack(all[i]), texts[i]) << "text " << i;
}

TEST(Packing, StoresOnlyDifferences) {
  std::mt19937_64 random(7);
  Packing packing;
  const std::string alike = Words(random, 4'000);
  (void)packing.Pack(alike + "first");
  EXPECT_LT(packing.Pack(alike + "and this is the second").bytes.size(), 100u);
}

TEST(Packing, LearnsFromLaterTexts) {
  std::mt19937_64 random(7);
  Packing packing;
  const std::string first = Words(random, 1'000), status = Words(random, 3'000);
  (void)packing.Pack(first);
  size_t last = 0;
  for (int i = 0; i < 200; ++i)
    last = packing.Pack(first + status + std::to_string(i)).bytes.size();
  EXPECT_LT(last, 100u);
}

TEST(Packing, SamplesWeighLessThanTheTexts) {
  std::mt19937_64 random(7);
  Packing packing;
  std::vector<Packing::Packed> all;
  for (int i = 0; i < 640; ++i) all.push_back(packing.Pack(Words(random, 2'000)));
  std::vector<const std::string*> samples;
  for (const auto& packed : all)
    if (packed.sample && (samples.empty() || samples.back() != packed.sample.get()))
      samples.push_back(packed.sample.get());
  EXPECT_LE(samples.size(), 10u);
  EXPECT_GE(samples.size(), 2u);
}

}  // namespace
}  // namespace kube
