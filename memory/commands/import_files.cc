// Calls the handler of /import directly, without a network.
#include <algorithm>
#include <filesystem>
#include <ostream>

#include "lib/base/text/inert.h"
#include "memory/api/handlers.h"
#include "memory/commands/move.h"
#include "memory/commands/progress_report.h"
#include "memory/commands/sources.h"
#include "memory/transfer/rows/row_kinds.h"
#include "memory/transfer/transfer_handlers.h"

namespace memory {

using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr size_t kShownErrors = 20;

class CountedSource : public http::BodyReader {
 public:
  CountedSource(const Move& move, ImportSource& source, ProgressReport& progress)
      : move_(move), source_(source), progress_(progress) {
    progress_.figures.total = source_.total_bytes();
  }
  Result<std::string> Read() override {
    RETURN_IF_ERROR(move_.NotInterrupted());
    progress_.Moved();
    Result<std::string> piece = source_.Read();
    if (piece) progress_.figures.done += static_cast<int64_t>(piece->size());
    return piece;
  }

 private:
  const Move& move_;
  ImportSource& source_;
  ProgressReport& progress_;
};

int SayImported(const Move& move, const Json& report, size_t unread,
                const ProgressReport& progress) {
  const Json errors = report.value("errors", Json::array());
  if (move.settings.Text("output") == "json") {
    move.out << base::DumpJson(report) << "\n";
  } else {
    const auto count = [&](const std::string& name) { return report.value(name, int64_t{0}); };
    move.err << "imported " << count("imported") << " memories";
    for (const KindRow& kind : KindRows()) {
      const int64_t rows = count("imported_" + Plural(kind.name));
      if (kind.words && rows > 0) move.err << ", " << rows << " " << kind.words;
    }
    move.err << " in " << ShownTime(progress.elapsed_ms()) << "; " << count("skipped")
             << " rows were here already\n";
    if (count("not_injected") > 0) {
      move.err << count("not_injected")
               << " of them are found by searches and not added to prompts, since imported text is "
                  "not trusted by itself; if you trust it, import it again with --trust user\n";
    }
  }
  const auto is_kept = [](const base::Json& error) {
    return error.is_object() && error.value("kept", false);
  };
  for (size_t i = 0; i < std::min(errors.size(), kShownErrors); ++i) {
    move.err << (is_kept(errors[i]) ? "changed: " : "refused: ")
             << base::WithoutMisleading(base::DumpJson(errors[i])) << "\n";
  }
  if (errors.size() > kShownErrors)
    move.err << errors.size() - kShownErrors
             << " more were refused or changed: --output json lists them\n";
  return std::all_of(errors.begin(), errors.end(), is_kept) && unread == 0 ? kGood : kFailed;
}

}  // namespace

int RunImport(const Move& move) {
  ProgressReport progress(move.err, move.terminal, SteadyMs);
  size_t unread = 0;
  std::error_code unknown;
  const bool folder = std::filesystem::is_directory(move.path, unknown);
  const std::string format = move.settings.Text("format");
  if (folder && !format.empty() && !IsOfFolders(format))
    return move.Fail(NoFolder(format), kBadUsage);
  auto source = folder ? OpenFolderSource(move.path,
                                          [&](const Error& error) {
                                            ++unread;
                                            progress.Clear();
                                            move.Fail(error);
                                          })
                       : OpenFileSource(move.path);
  if (!source) return move.Fail(source.error(), kNoInput);
  auto memory = move.Open(true);
  if (!memory) return move.FailToOpen(memory.error());
  telemetry::Metrics metrics;
  http::Request request =
      move.RequestOf("POST", "/import", {"project", "trust"}, {"restore", "dedup"});
  if (folder || !format.empty()) request.query.emplace_back("format", folder ? "obsidian" : format);
  CountedSource counted(move, **source, progress);
  request.stream = &counted;
  OwnsTheFiles access;
  const http::Response response =
      Import(Api{(*memory)->store(), move.host.clock, metrics, "", true, {}, &access}, request);
  progress.Clear();
  if (const Status good = StatusOfAnswer(response); !good)
    return move.Fail(base::Wrap("import of " + move.path, good.error()));
  const auto report = base::ParseJson(response.body);
  return report ? SayImported(move, *report, unread, progress) : move.Fail(report.error());
}

}  // namespace memory
