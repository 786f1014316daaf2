// Vectors from an OpenAI-compatible endpoint. A query waits for it at most until its deadline, and
// its errors reach no client of the memory: a search without a vector is a search by words.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>
#include <vector>

#include "lib/base/limits/lru.h"
#include "lib/base/process/clock.h"
#include "lib/telemetry/metrics.h"
#include "memory/endpoint/endpoint_client.h"
#include "memory/endpoint/endpoint_pause.h"
#include "memory/store/embedder.h"

namespace memory {

struct EndpointOptions : EndpointAddress {
  size_t dimensions = 0;      // to request; 0: the model's default
  int64_t deadline_ms = 150;  // of a query
  int64_t rows_ms = 30'000;   // of a batch of rows
  float floor = 0.35F;        // FusionWeights::floor
};

// Validates the settings (kInvalid) without a connection.
base::Status CheckEndpoint(const EndpointOptions& options);

class EndpointEmbedder final : public RemoteEmbedder {
 public:
  // `clock` and `metrics` outlive it. kInvalid as CheckEndpoint, or a CA file that is none.
  static base::Result<std::unique_ptr<EndpointEmbedder>> Make(EndpointOptions options,
                                                              const base::Clock& clock,
                                                              telemetry::Metrics& metrics);
  base::Result<int64_t> Model(const std::stop_token& stop) override;
  int64_t known_model() const override { return known_model_; }
  FusionWeights weights() const override;
  std::vector<int8_t> OfQuestion(const std::string& text, const std::stop_token& stop) override;
  base::Result<std::vector<std::vector<int8_t>>> OfRows(const std::vector<std::string>& texts,
                                                        const std::stop_token& stop) override;
  bool failing() const;  // the last request failed

 private:
  using Vectors = std::vector<std::vector<int8_t>>;
  struct Failure {
    base::Error error;
    bool refused = false;  // the endpoint refused these texts, or some
    int status = 0;        // 0: no answer, or an unusable one with status 200
    int64_t wait_ms = 0;   // of Retry-After
    const char* outcome = "away";
  };
  EndpointEmbedder(EndpointOptions options, const base::Clock& clock, telemetry::Metrics& metrics);
  // One request, and its vectors. Counts it under `purpose`.
  std::optional<Failure> Request(const std::vector<std::string>& texts, int64_t timeout_ms,
                                 const char* purpose, const std::stop_token& stop,
                                 Vectors& vectors);
  std::optional<Failure> Exchange(const std::vector<std::string>& texts, int64_t timeout_ms,
                                  const std::stop_token& stop, Vectors& vectors);
  // Bisects a refused batch to find the refused texts.
  std::optional<Failure> RequestHalves(const std::vector<std::string>& texts,
                                       const std::stop_token& stop, Vectors& vectors);
  bool Enter(EndpointPause& pause);
  void Note(EndpointPause& pause, const std::optional<Failure>& failure);
  void Learn(size_t dimensions);

  const EndpointOptions options_;
  std::string path_;
  const base::Clock& clock_;
  telemetry::Metrics& metrics_;
  std::unique_ptr<http::Client> client_;
  std::counting_semaphore<> questions_;  // further concurrent queries
  std::atomic<int64_t> known_model_{0};
  std::atomic<size_t> dimensions_;
  mutable std::mutex mutex_;
  EndpointPause question_pause_, row_pause_;  // under mutex_, with what follows
  base::LruMap<std::vector<int8_t>> recent_;  // by the digest of the query
};

}  // namespace memory
