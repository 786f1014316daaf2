// Calls the handler of /export directly, without a network.
#include <filesystem>
#include <ostream>

#include "lib/base/text/inert.h"
#include "memory/api/handlers.h"
#include "memory/commands/move.h"
#include "memory/commands/progress_report.h"
#include "memory/commands/targets.h"
#include "memory/transfer/transfer_handlers.h"

namespace memory {

using base::Code;
using base::Status;

namespace {

// The text before each memory in a format, to count memories; null: counts bytes.
const char* MarkOf(const std::string& format) {
  if (format == "sqlite") return nullptr;
  return format == "json" || format == "jsonl" ? "\n{" : "\nkind: ";
}

class CountedTarget : public http::BodyWriter {
 public:
  CountedTarget(const Move& move, ExportTarget& target, ProgressReport& progress, const char* mark)
      : move_(move), target_(target), progress_(progress), mark_(mark) {
    progress_.figures.memories = mark_ != nullptr;
  }
  bool counts_rows() const { return mark_ != nullptr; }
  Status Write(std::string_view bytes) override {
    RETURN_IF_ERROR(move_.NotInterrupted());
    progress_.figures.bytes += static_cast<int64_t>(bytes.size());
    if (mark_) {
      for (size_t at = 0; (at = bytes.find(mark_, at)) != bytes.npos; ++at)
        ++progress_.figures.done;
    } else {
      progress_.figures.done = progress_.figures.bytes;
    }
    progress_.Moved();
    return target_.Write(bytes);
  }

 private:
  const Move& move_;
  ExportTarget& target_;
  ProgressReport& progress_;
  const char* const mark_;
};

std::string FormatOfName(const std::string& path, bool folder) {
  if (folder) return "obsidian";
  const std::string ending = std::filesystem::path(path).extension().string();
  const std::pair<const char*, const char*> kEndings[] = {
      {".jsonl", "jsonl"}, {".ndjson", "jsonl"}, {".sqlite", "sqlite"},
      {".db", "sqlite"},   {".md", "notes"},     {".tar", "obsidian"}};
  for (const auto& [name, format] : kEndings) {
    if (ending == name) return format;
  }
  return "json";
}

int SayExported(const Move& move, const ProgressReport& progress, const std::string& format) {
  const ProgressFigures& figures = progress.figures;
  if (move.settings.Text("output") == "json") {
    (move.path == "-" ? move.err : move.out)
        << base::DumpJson({{"path", move.path}, {"format", format}, {"bytes", figures.bytes}})
        << "\n";
  } else {
    move.err << "exported " << ShownBytes(figures.bytes) << " as " << format << " to "
             << base::WithoutMisleading(move.path) << " in " << ShownTime(progress.elapsed_ms())
             << "\n";
  }
  return kGood;
}

}  // namespace

int RunExport(const Move& move) {
  std::error_code unknown;
  const bool folder = move.path.ends_with('/') || std::filesystem::is_directory(move.path, unknown);
  std::string format = move.settings.Text("format");
  if (format.empty()) format = FormatOfName(move.path, folder);
  if (folder && !IsOfFolders(format)) return move.Fail(NoFolder(format), kBadUsage);
  // A file that is called as Markdown is one, with all notes.
  if (!folder && format == "markdown" && FormatOfName(move.path, false) == "notes")
    format = "notes";
  auto memory = move.Open(false);
  if (!memory) return move.FailToOpen(memory.error());
  telemetry::Metrics metrics;
  http::Request request = move.RequestOf("GET", "/export", {"project"});
  request.query.emplace_back("format", format);
  OwnsTheFiles access;
  const Api api{(*memory)->store(), move.host.clock, metrics, "", true, {}, &access};
  const http::Response response = Export(api, request);
  if (const Status good = StatusOfAnswer(response); !good) {
    return move.Fail(good.error(), good.error().code == Code::kInvalid ? kBadUsage : kFailed);
  }
  auto target = folder ? OpenFolderTarget(move.path) : OpenFileTarget(move.path);
  if (!target) {
    return move.Fail(target.error(),
                     target.error().code == Code::kConflict ? kCannotCreate : kFailed);
  }
  ProgressReport progress(move.err, move.terminal, SteadyMs);
  CountedTarget counted(move, **target, progress, MarkOf(format));
  if (const auto totals = api.store.Count(request.Query("project"));
      totals && counted.counts_rows())
    progress.figures.total = totals->observations + totals->sessions;
  Status moved = response.stream(counted);
  if (moved) moved = (*target)->Finish();
  progress.Clear();
  if (!moved) return move.Fail(base::Wrap("export to " + move.path, moved.error()));
  return SayExported(move, progress, format);
}

}  // namespace memory
