// Shows what deltas make, and that neither they nor their packs take more than their limits.
#include "sidecar/git/git_pack.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/text/deflate.h"
#include "lib/testing/temporary_directory.h"

namespace sidecar {
namespace {

using namespace std::string_literals;

TEST(GitPack, DeltasCopyAndInsert) {
  const std::string base = "0123456789";
  EXPECT_EQ(ApplyDelta(base, "\x0a\x03\x03xyz"s, 100), "xyz");
  EXPECT_EQ(ApplyDelta(base, "\x0a\x05\x91\x02\x03\x02--"s, 100), "234--");
  EXPECT_EQ(ApplyDelta(base, "\x0a\x03\x90\x03"s, 100), "012") << "the offset 0 has no byte";
  EXPECT_EQ(ApplyDelta(base, "\x0a\x00"s, 100), "");
  const std::string large(0x10000, 'x');  // a count of 0 is 64 KiB
  EXPECT_EQ(ApplyDelta(large, "\x80\x80\x04\x80\x80\x04\x80"s, 0x10000), large);
}

TEST(GitPack, DamagedDeltasAreRefused) {
  const std::string base = "0123456789";
  const std::string deltas[] = {
      ""s,                      // no sizes
      "\x0a"s,                  // no size of the result
      "\x09\x01\x01x"s,         // another base
      "\x0a\x65\x01x"s,         // over the limit
      "\x0a\x02\x01x"s,         // shorter than it says
      "\x0a\x01\x02xy"s,        // longer than it says
      "\x0a\x05\x05xy"s,        // an insertion is cut
      "\x0a\x05\x91\x08\x05"s,  // after the base
      "\x0a\x05\x9f\xff\xff\xff\xff\x05"s,
      "\x0a\x05\x91"s,   // a copy is cut
      "\x0a\x01\x00x"s,  // a reserved step
      "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s,
  };
  for (size_t i = 0; i < std::size(deltas); ++i)
    EXPECT_EQ(ApplyDelta(base, deltas[i], 100), std::nullopt) << i;
  EXPECT_EQ(ApplyDelta(base, "\x0a\x14\x90\x0a\x90\x0a"s, 20), base + base);
  EXPECT_EQ(ApplyDelta(base, "\x0a\x14\x90\x0a\x90\x0a"s, 19), std::nullopt) << "over the limit";
}

// A delta of the base whose steps are random, and the text that it makes.
std::pair<std::string, std::string> RandomDelta(std::mt19937& random, const std::string& base) {
  std::string steps, text;
  for (unsigned count = random() % 8; count > 0; --count) {
    const size_t size = 1 + random() % base.size();
    if (random() % 2 == 0) {
      const size_t offset = random() % (base.size() - size + 1);
      steps += {'\x91', static_cast<char>(offset), static_cast<char>(size)};
      text += base.substr(offset, size);
    } else {
      const std::string inserted(size, static_cast<char>('a' + random() % 26));
      steps += static_cast<char>(size) + inserted;
      text += inserted;
    }
  }
  return {std::string{static_cast<char>(base.size()), static_cast<char>(text.size())} + steps,
          text};
}

TEST(GitPack, AnyDeltaMakesItsTextWithinItsLimit) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  const std::string base = "0123456789";
  for (int i = 0; i < 20'000; ++i) {
    auto [delta, text] = RandomDelta(random, base);
    const size_t most = random() % 60;
    const auto made = ApplyDelta(base, delta, most);
    if (text.size() <= most) {
      EXPECT_EQ(made, text) << "seed " << seed;
    } else {
      EXPECT_EQ(made, std::nullopt) << "seed " << seed;
    }
    delta[1 + random() % (delta.size() - 1)] = static_cast<char>(random());
    EXPECT_LE(ApplyDelta(base, delta, most).value_or("").size(), most) << "seed " << seed;
  }
}

// Big-endian.
std::string Big(uint64_t number, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += i < 8 ? static_cast<char>(number >> (8 * i)) : '\0';
  return text;
}

// The id of an object, whose first byte is 0.
std::string Id(unsigned number) { return Big(number, 20); }

// A pack of entries without regard for what they say; the object `i` has Id(i).
struct PackFolder {
  explicit PackFolder(const std::vector<std::string>& entries) {
    std::filesystem::create_directories(directory.File("objects/pack"));
    std::string pack = "PACK" + Big(2, 4) + Big(entries.size(), 4), ids, checks, offsets;
    for (size_t i = 0; i < entries.size(); ++i) {
      ids += Id(static_cast<unsigned>(i));
      checks += Big(0, 4);
      offsets += Big(pack.size(), 4);
      pack += entries[i];
    }
    std::string index = "\377tOc\0\0\0\2"s;
    for (int i = 0; i < 256; ++i) index += Big(entries.size(), 4);
    directory.Write("objects/pack/p.idx", index + ids + checks + offsets);
    directory.Write("objects/pack/p.pack", pack + std::string(20, '\0'));
    if (auto opened = GitFolder::Open(directory.path())) folder.emplace(std::move(*opened));
  }
  // The text of the object `number`; "-": none.
  std::string Text(unsigned number, GitRoom& room) const {
    const auto pack = folder ? GitPack::Open(*folder, "p", 20) : std::nullopt;
    const auto offset = pack ? pack->OffsetOf(Id(number), room) : std::nullopt;
    const auto object = offset ? pack->Read(*offset, room) : std::nullopt;
    return object ? object->type + " " + object->bytes : "-";
  }
  testing::TemporaryDirectory directory;
  std::optional<GitFolder> folder;
};

// Texts of at most 15 bytes.
std::string Blob(const std::string& text) {
  return std::string(1, static_cast<char>(0x30 | text.size())) + base::Deflate(text);
}
std::string DeltaTo(unsigned number, const std::string& delta) {
  return std::string(1, static_cast<char>(0x70 | delta.size())) + Id(number) + base::Deflate(delta);
}

TEST(GitPack, DeltasThatLoopAreRefused) {
  const std::string delta = "\x03\x03\x90\x03"s;  // all of the base
  const PackFolder packs({Blob("abc"), DeltaTo(0, delta), DeltaTo(2, delta), DeltaTo(4, delta),
                          DeltaTo(3, delta), "\x64\x00"s + base::Deflate(delta), DeltaTo(99, delta),
                          "\x64\x7f"s + base::Deflate(delta)});
  GitRoom room{1000};
  EXPECT_EQ(packs.Text(1, room), "blob abc");
  for (const unsigned looping : {2u, 3u, 5u}) {
    room = {1000};
    EXPECT_EQ(packs.Text(looping, room), "-") << looping;
    EXPECT_GT(room.bytes, 500u) << "64 deltas of 4 bytes";
  }
  for (const unsigned astray : {6u, 7u, 99u}) EXPECT_EQ(packs.Text(astray, room), "-") << astray;
}

TEST(GitPack, ReadingTakesBytesAndSteps) {
  std::vector<std::string> entries = {Blob("abc")};
  for (unsigned i = 0; i < 40; ++i) entries.push_back(DeltaTo(i, "\x03\x03\x90\x03"s));
  const PackFolder packs(entries);
  GitRoom room{1000};
  EXPECT_EQ(packs.Text(40, room), "blob abc");
  EXPECT_EQ(room.bytes, 1000u - 3 - 40 * (4 + 3));
  room = {40 * 7 + 2};
  EXPECT_EQ(packs.Text(40, room), "-") << "a byte too little";
  // An object and each of its bases: a search and an entry.
  room = {1000, 82};
  EXPECT_EQ(packs.Text(40, room), "blob abc");
  EXPECT_EQ(room.steps, 0u);
  EXPECT_EQ(packs.Text(0, room), "-") << "no step is left";
}

}  // namespace
}  // namespace sidecar
