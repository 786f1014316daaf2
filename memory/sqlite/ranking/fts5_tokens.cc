// Calls the tokenizer of the full-text table and hashes its tokens.
#include "memory/sqlite/ranking/fts5_tokens.h"

#include <algorithm>
#include <random>

#include "lib/base/text/text.h"
#include "lib/sqlite/scratch_index.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;

namespace {

constexpr int kLongestToken = 32768;  // FTS5 cuts tokens there (FTS5_MAX_TOKEN_SIZE)

// FNV-1a with a random key of the process, and the finalizer of MurmurHash3, so that clients cannot
// construct collisions.
WordKey KeyOf(const char* token, int size) {
  static const uint64_t kSeed = std::random_device()() * 0x9E3779B97F4A7C15ull + 1;
  uint64_t hash = 0xCBF29CE484222325ull ^ kSeed;
  for (int i = 0; i < std::min(size, kLongestToken); ++i) {
    hash ^= static_cast<unsigned char>(token[i]);
    hash *= 0x100000001B3ull;
  }
  hash = (hash ^ hash >> 33) * 0xFF51AFD7ED558CCDull;
  hash = (hash ^ hash >> 33) * 0xC4CEB9FE1A85EC53ull;
  return hash ^ hash >> 33;
}

}  // namespace

fts5_api* Fts5Of(sqlite::Database& database) {
  fts5_api* api = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database.handle(), "SELECT fts5(?1)", -1, &statement, nullptr) ==
      SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  return api;
}

struct Tokens::Cutter {
  fts5_tokenizer functions{};
  Fts5Tokenizer* tokenizer = nullptr;
  ~Cutter() {
    if (tokenizer) functions.xDelete(tokenizer);
  }
  void Cut(std::string_view text, std::vector<WordKey>& keys) const {
    functions.xTokenize(tokenizer, &keys, FTS5_TOKENIZE_DOCUMENT, text.data(),
                        static_cast<int>(text.size()),
                        [](void* into, int, const char* token, int size, int, int) {
                          static_cast<std::vector<WordKey>*>(into)->push_back(KeyOf(token, size));
                          return SQLITE_OK;
                        });
  }
};

Tokens::Tokens(std::unique_ptr<Cutter> cutter) : cutter_(std::move(cutter)) {}
Tokens::Tokens(Tokens&&) noexcept = default;
Tokens& Tokens::operator=(Tokens&&) noexcept = default;
Tokens::~Tokens() = default;

Result<Tokens> Tokens::Make(sqlite::Database& database) {
  const Error missing{Code::kInternal, "this SQLite's FTS5 hands out no tokenizer"};
  auto cutter = std::make_unique<Cutter>();
  fts5_api* api = Fts5Of(database);
  void* context = nullptr;
  // As the full-text table is declared: a name, then its arguments.
  const std::vector<std::string> words = base::Split(SQLITE_TOKENIZER, ' ');
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  if (!api || api->xFindTokenizer(api, arguments[0], &context, &cutter->functions) != SQLITE_OK)
    return missing;
  if (cutter->functions.xCreate(context, arguments.data() + 1,
                                static_cast<int>(arguments.size()) - 1,
                                &cutter->tokenizer) != SQLITE_OK) {
    return missing;
  }
  return Tokens(std::move(cutter));
}

std::vector<RangeIndex::Word> Tokens::OfRow(std::string_view title, std::string_view content,
                                            std::string_view tags, std::string_view grams) const {
  std::vector<WordKey> keys;
  cutter_->Cut(content, keys);
  cutter_->Cut(grams, keys);
  const size_t content_end = keys.size();
  cutter_->Cut(title, keys);
  const size_t title_end = keys.size();
  cutter_->Cut(tags, keys);
  std::vector<RangeIndex::Word> words;
  words.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    const bool in_content = i < content_end;
    words.push_back({keys[i], {0, in_content, !in_content && i < title_end, i >= title_end}});
  }
  std::sort(words.begin(), words.end(),
            [](const RangeIndex::Word& a, const RangeIndex::Word& b) { return a.key < b.key; });
  size_t kept = 0;
  for (const RangeIndex::Word& word : words) {
    if (kept == 0 || words[kept - 1].key != word.key) {
      words[kept++] = word;
      continue;
    }
    WordHit& same = words[kept - 1].hit;
    same.content += word.hit.content;
    same.title |= word.hit.title;
    same.tag |= word.hit.tag;
  }
  words.resize(kept);
  return words;
}

std::optional<std::vector<WordKeys>> Tokens::OfQuestion(const Question& question) const {
  std::vector<WordKeys> words;
  std::vector<WordKey> keys;
  for (const QuestionWord& word : question.words) {
    WordKeys& forms = words.emplace_back();
    for (const std::string& form : word.forms) {
      keys.clear();
      cutter_->Cut(form, keys);
      if (keys.size() > 1) return std::nullopt;
      forms.insert(forms.end(), keys.begin(), keys.end());
    }
  }
  return words;
}

}  // namespace memory
