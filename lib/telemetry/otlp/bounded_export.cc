// Two decorators of the SDK's interfaces: a bounded processor and a counting exporter.
#include "lib/telemetry/otlp/bounded_export.h"

#include <opentelemetry/sdk/common/global_log_handler.h>

#include <chrono>
#include <utility>

namespace telemetry {

namespace {

namespace sdk_log = opentelemetry::sdk::common::internal_log;

std::atomic<uint64_t> sdk_errors = 0;

class ErrorCount : public sdk_log::LogHandler {
 public:
  void Handle(sdk_log::LogLevel level, const char*, int, const char*,
              const opentelemetry::sdk::common::AttributeMap&) noexcept override {
    if (level == sdk_log::LogLevel::Error) ++sdk_errors;
  }
};

int64_t NowMs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

using opentelemetry::sdk::common::ExportResult;
using std::chrono::microseconds;

class Bounded : public sdk_trace::SpanProcessor {
 public:
  Bounded(std::unique_ptr<sdk_trace::SpanProcessor> next, std::shared_ptr<ExportState> state)
      : next_(std::move(next)), state_(std::move(state)) {}

  std::unique_ptr<sdk_trace::Recordable> MakeRecordable() noexcept override {
    return next_->MakeRecordable();
  }
  void OnStart(sdk_trace::Recordable& span,
               const opentelemetry::trace::SpanContext& parent) noexcept override {
    next_->OnStart(span, parent);
  }
  void OnEnd(std::unique_ptr<sdk_trace::Recordable>&& span) noexcept override {
    const bool room = state_->waiting.fetch_add(1) < state_->setup.queue_spans;
    if (room && !state_->ended()) return next_->OnEnd(std::move(span));
    --state_->waiting;
    state_->setup.count("dropped", 1);
  }
  bool ForceFlush(microseconds timeout) noexcept override { return next_->ForceFlush(timeout); }
  bool Shutdown(microseconds timeout) noexcept override { return next_->Shutdown(timeout); }

 private:
  std::unique_ptr<sdk_trace::SpanProcessor> next_;
  const std::shared_ptr<ExportState> state_;
};

class Counted : public sdk_trace::SpanExporter {
 public:
  Counted(std::unique_ptr<sdk_trace::SpanExporter> next, std::shared_ptr<ExportState> state)
      : next_(std::move(next)), state_(std::move(state)) {}

  std::unique_ptr<sdk_trace::Recordable> MakeRecordable() noexcept override {
    return next_->MakeRecordable();
  }
  ExportResult Export(const opentelemetry::nostd::span<std::unique_ptr<sdk_trace::Recordable>>&
                          spans) noexcept override {
    const size_t count = spans.size();
    ExportResult result = ExportResult::kFailure;
    const bool tried = state_->MaySend();
    if (tried) {
      const uint64_t errors = sdk_errors;  // only the batch processor's thread calls
      result = next_->Export(spans);
      if (sdk_errors != errors) result = ExportResult::kFailure;
      state_->failed = result != ExportResult::kSuccess;
    }
    state_->waiting -= count;
    const char* fate = !tried ? "dropped" : state_->failed ? "failed" : "exported";
    state_->setup.count(fate, count);
    return result;
  }
  bool ForceFlush(microseconds timeout) noexcept override { return next_->ForceFlush(timeout); }
  bool Shutdown(microseconds timeout) noexcept override { return next_->Shutdown(timeout); }

 private:
  const std::unique_ptr<sdk_trace::SpanExporter> next_;
  const std::shared_ptr<ExportState> state_;
};

}  // namespace

void ExportState::End() {
  failed = false;
  end_ms_ = NowMs() + setup.flush_ms;
}

bool ExportState::MaySend() const { return !ended() || (!failed && NowMs() < end_ms_); }

void WatchSdkLog() {
  sdk_log::GlobalLogHandler::SetLogHandler(
      opentelemetry::nostd::shared_ptr<sdk_log::LogHandler>(new ErrorCount));
}

std::unique_ptr<sdk_trace::SpanProcessor> BoundedProcessor(
    std::unique_ptr<sdk_trace::SpanProcessor> next, std::shared_ptr<ExportState> state) {
  return std::make_unique<Bounded>(std::move(next), std::move(state));
}

std::unique_ptr<sdk_trace::SpanExporter> CountedExporter(
    std::unique_ptr<sdk_trace::SpanExporter> next, std::shared_ptr<ExportState> state) {
  return std::make_unique<Counted>(std::move(next), std::move(state));
}

}  // namespace telemetry
