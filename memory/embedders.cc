// docs/adr/0052 has the measurements of the weights.
#include "memory/embedders.h"

#include <unistd.h>

#include <climits>
#include <utility>

#include "lib/base/process/log.h"
#include "lib/embedding/openai_bodies.h"
#include "lib/embedding/static_table.h"
#include "memory/model/embedded_text.h"
#include "memory/table_pieces.h"

namespace memory {

using base::Result;
using base::Setting;

namespace {

constexpr FusionWeights kTableWeights{0.25, false, 0.5F, true};

class TableEmbedder final : public Embedder {
 public:
  explicit TableEmbedder(std::unique_ptr<embedding::StaticTable> table)
      : table_(std::move(table)), pieces_(*table_) {}
  int64_t model() const override { return ModelOfEmbeddedTexts(table_->model()); }
  size_t dimensions() const override { return table_->dimensions(); }
  FusionWeights weights() const override { return kTableWeights; }
  std::vector<int8_t> Embed(std::string_view text) const override { return table_->Embed(text); }
  const PieceMeaning* pieces() const override {
    return table_->size() <= TablePieces::kMost ? &pieces_ : nullptr;
  }

 private:
  const std::unique_ptr<embedding::StaticTable> table_;
  const TablePieces pieces_;
};

std::string TableBesideProgram() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string program(path, length > 0 ? static_cast<size_t>(length) : 0);
  const std::string folder = program.substr(0, program.rfind('/'));
  return folder.substr(0, folder.rfind('/')) + "/share/agent-memory-server/embedding.table";
}

}  // namespace

std::vector<Setting> EmbeddingFlags() {
  return {
      {"embeddings", Setting::Kind::kBool, "true",
       "search memories by meaning, too, with the vectors of --embedding-table"},
      {"embedding-table", Setting::Kind::kString, "",
       "file of token vectors; empty: ../share/agent-memory-server/embedding.table beside the "
       "program. Without it search is by words only"},
      {"embedding-url", Setting::Kind::kString, "",
       "OpenAI-compatible endpoint of additional vectors, for example https://api.openai.com/v1; "
       "it receives the texts of memories and queries. Empty: none. When it is unreachable or "
       "late, search uses the table"},
      {"embedding-model", Setting::Kind::kString, "text-embedding-3-small",
       "model of the endpoint; default: EMBEDDING_MODEL of the environment when it is set"},
      {"embedding-key-file", Setting::Kind::kString, "",
       "file of the API key of the endpoint, read for each request; default: OPENAI_API_KEY of the "
       "environment when it is set, else no key is sent"},
      {"embedding-ca-file", Setting::Kind::kString, "",
       "PEM file of the certificate authorities of the endpoint; empty: the system's"},
      {"embedding-dimensions", Setting::Kind::kInt, "0",
       "requested dimensions of a vector, for models that support it; 0: the model's", 0,
       static_cast<int64_t>(embedding::kMostAnswerDimensions)},
      {"embedding-deadline", Setting::Kind::kDuration, "150ms",
       "how long a query waits for its vector from the endpoint; less than query-deadline", 10,
       60'000},
      {"embedding-floor", Setting::Kind::kInt, "35",
       "least cosine, in hundredths, of a result that contains no word of the query", 0, 100},
  };
}

EmbeddingSettings ReadEmbeddingSettings(const base::Settings& settings,
                                        const AegisEnvironment& aegis) {
  EmbeddingSettings read{settings.Bool("embeddings"), {}, settings.Text("embedding-table")};
  EndpointOptions& endpoint = read.endpoint;
  endpoint.url = settings.Text("embedding-url");
  endpoint.model = settings.Text("embedding-model");
  if (!settings.IsSet("embedding-model"))
    endpoint.model = aegis.embedding_model.value_or(endpoint.model);
  endpoint.key_file = settings.Text("embedding-key-file");
  endpoint.key = aegis.openai_key.value_or("");
  endpoint.ca_file = settings.Text("embedding-ca-file");
  endpoint.dimensions = static_cast<size_t>(settings.Int("embedding-dimensions"));
  endpoint.deadline_ms = settings.Milliseconds("embedding-deadline");
  endpoint.floor = static_cast<float>(settings.Int("embedding-floor")) / 100;
  return read;
}

std::shared_ptr<const Embedder> MakeEmbedder(const EmbeddingSettings& settings) {
  if (!settings.on) return nullptr;
  const std::string path = settings.table.empty() ? TableBesideProgram() : settings.table;
  Result<std::unique_ptr<embedding::StaticTable>> table = embedding::StaticTable::Open(path);
  if (table) return std::make_shared<TableEmbedder>(std::move(*table));
  const bool asked = !settings.table.empty() || table.error().code != base::Code::kNotFound;
  base::Log(asked ? base::Level::kWarn : base::Level::kInfo,
            "memories are found by words alone, not by meaning",
            {{"setting", "embedding-table"}, {"reason", table.error().message}});
  return nullptr;
}

Result<std::shared_ptr<RemoteEmbedder>> MakeRemoteEmbedder(const EmbeddingSettings& settings,
                                                           const base::Clock& clock,
                                                           telemetry::Metrics& metrics) {
  std::shared_ptr<RemoteEmbedder> made;
  if (!settings.on || settings.endpoint.url.empty()) return made;
  ASSIGN_OR_RETURN(made, EndpointEmbedder::Make(settings.endpoint, clock, metrics));
  base::LogInfo("memories are found by vectors of an endpoint too, which gets their texts",
                {{"url", settings.endpoint.url}, {"model", settings.endpoint.model}});
  return made;
}

}  // namespace memory
