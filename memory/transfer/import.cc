// POST /import: takes an export in while it arrives, in batches. Idempotent: a broken import is
// repeated.
#include "memory/handlers.h"
#include "memory/transfer/format.h"
#include "memory/transfer/json_elements.h"
#include "memory/validate.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;
using http::Request;
using http::Response;

namespace {

constexpr size_t kBatch = 256;
constexpr size_t kMaxErrors = 100'000;

class Importer {
 public:
  explicit Importer(Store& store) : store_(store) {}

  Status Field(const std::string& name, const Json& value) {
    if (name == "format") {
      if (value != kExportFormat) {
        return Error{Code::kInvalid,
                     std::string("format must be \"") + kExportFormat + "\", or absent"};
      }
      ours_ = true;
    }
    if ((name == "sessions" || name == "observations") && !value.is_null()) {
      return Error{Code::kInvalid, name + " must be an array"};
    }
    return {};
  }

  Status Element(const std::string& array, const Json& element) {
    if (array == "sessions") return TakeSession(element);
    if (array == "observations") return TakeObservation(element);
    return {};
  }

  Status Flush() {
    if (batch_.empty()) return {};
    ASSIGN_OR_RETURN(auto outcomes, store_.Import(batch_));
    for (size_t i = 0; i < outcomes.size(); ++i) {
      if (!outcomes[i]) {
        RETURN_IF_ERROR(Refuse("observation", places_[i], outcomes[i].error()));
      } else {
        ++(*outcomes[i] == Imported::kNew ? observations_ : skipped_);
      }
    }
    batch_.clear();
    places_.clear();
    return {};
  }

  Json Report() const {
    return {{"imported_sessions", sessions_},
            {"imported_observations", observations_},
            {"skipped", skipped_},
            {"errors", errors_}};
  }

 private:
  Status TakeSession(const Json& element) {
    size_t index = session_index_++;
    Result<api::Session> session = DecodeSession(element);
    if (!session) return Refuse("session", index, session.error());
    Result<Imported> outcome = store_.Import(*session);
    if (!outcome && outcome.error().code != Code::kConflict) return outcome.error();
    if (!outcome) return Refuse("session", index, outcome.error());
    ++(*outcome == Imported::kNew ? sessions_ : skipped_);
    return {};
  }

  Status TakeObservation(const Json& element) {
    size_t index = observation_index_++;
    Result<api::Observation> row = api::DecodeObservation(element);
    if (!row) return Refuse("observation", index, row.error());
    if (!ours_) row->duplicate_count = std::max<int64_t>(0, row->duplicate_count - 1);
    if (!api::IsOrigin(row->source.origin)) row->source.origin = api::kOriginAgent;
    batch_.push_back(std::move(*row));
    places_.push_back(index);
    return batch_.size() < kBatch ? Status() : Flush();
  }

  Status Refuse(const char* kind, size_t index, const Error& error) {
    errors_.push_back({{"kind", kind}, {"index", index}, {"error", error.message}});
    if (errors_.size() <= kMaxErrors) return {};
    return Error{Code::kInvalid, "more than " + std::to_string(kMaxErrors) +
                                     " rows were refused; the last one: " + error.message};
  }

  Store& store_;
  bool ours_ = false;
  size_t session_index_ = 0, observation_index_ = 0;
  int64_t sessions_ = 0, observations_ = 0, skipped_ = 0;
  Json errors_ = Json::array();
  std::vector<api::Observation> batch_;
  std::vector<size_t> places_;  // of the batch's rows in the import
};

}  // namespace

Response Import(const Api& api, const Request& request) {
  Importer importer(api.store);
  ElementHandlers handlers;
  handlers.on_element = [&](const std::string& array, const Json& element) {
    return importer.Element(array, element);
  };
  handlers.on_field = [&](const std::string& name, const Json& value) {
    return importer.Field(name, value);
  };
  Status read = ReadElements(*request.stream, handlers);
  Status flushed = importer.Flush();
  if (!read || !flushed) {
    // What came before the break is kept: importing the whole again skips it.
    Json report = importer.Report();
    const Error& error = read ? flushed.error() : read.error();
    return http::ErrorResponse(
        {error.code, error.message + " (before that " + report["imported_sessions"].dump() +
                         " sessions and " + report["imported_observations"].dump() +
                         " observations were imported; the same import can be repeated)"});
  }
  return http::JsonResponse(200, importer.Report());
}

}  // namespace memory
