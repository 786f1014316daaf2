// The server's /import reads the file, so that only the server knows the formats.
#include "client/memory/file_server.h"

#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "client/memory/calls.h"
#include "lib/base/process/file.h"

namespace client {
namespace {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

constexpr size_t kMostFileBytes = size_t{256} << 20;
constexpr int64_t kServerStartMs = 20'000, kTakeInMs = 600'000;

std::string ListeningAt(std::string_view line) {
  const auto said = base::ParseJson(line);
  if (!said || !said->is_object() || base::StringAt(*said, {"msg"}) != "listening") return "";
  return base::StringAt(*said, {"api"});
}

}  // namespace

Result<std::unique_ptr<FileServer>> FileServer::Open(const std::string& file) {
  auto content = base::ReadFile(file, kMostFileBytes);
  if (!content) return base::Wrap("--file", content.error());
  std::string folder = (std::filesystem::temp_directory_path() / "agent-memory-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    return Error{Code::kInternal, "no temporary folder can be made: set TMPDIR"};
  std::unique_ptr<FileServer> opened(new FileServer(folder));
  RETURN_IF_ERROR(opened->Start());
  RETURN_IF_ERROR(opened->TakeIn(std::move(*content)));
  return opened;
}

FileServer::~FileServer() {
  server_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Status FileServer::Start() {
  ASSIGN_OR_RETURN(const std::string program, FindProgram("agent-memory-server"));
  struct ServerHeard {
    std::mutex mutex;
    std::condition_variable changed;
    std::string address, last;
  };
  const auto heard = std::make_shared<ServerHeard>();
  ChildOptions options{{program, "--data-dir", folder_ + "/memory", "--listen", "127.0.0.1:0",
                        "--admin", "127.0.0.1:0"},
                       CleanEnvironment()};
  options.on_line = [heard](std::string_view line) {
    const std::lock_guard lock(heard->mutex);
    if (heard->address.empty()) heard->address = ListeningAt(line);
    heard->last = line;
    heard->changed.notify_all();
  };
  ASSIGN_OR_RETURN(server_, Child::Start(std::move(options)));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kServerStartMs);
  std::unique_lock lock(heard->mutex);
  while (heard->address.empty() && server_->running() && std::chrono::steady_clock::now() < end)
    heard->changed.wait_for(lock, std::chrono::milliseconds(50));
  if (heard->address.empty())
    return Error{Code::kUnavailable, program + " did not start: " + heard->last};
  url_ = "http://" + heard->address;
  return {};
}

Status FileServer::TakeIn(std::string content) {
  http::ClientOptions options;
  options.base_url = url_;
  ASSIGN_OR_RETURN(const auto client, http::MakeClient(std::move(options)));
  http::ClientRequest request;
  request.method = "POST";
  request.target = "/import";
  request.timeout_ms = kTakeInMs;
  request.headers.Set("Content-Type", "application/octet-stream");
  request.body = std::move(content);
  ASSIGN_OR_RETURN(const auto answer, MemoryCalls(*client, url_).Raw(std::move(request)));
  ASSIGN_OR_RETURN(const base::Json report, base::ParseJson(answer.body));
  for (const base::Json& error : report.value("errors", base::Json::array()))
    if (!error.is_object() || !error.value("kept", false))
      refused_.push_back(base::DumpJson(error));
  if (const int64_t more = report.value("errors_left_out", int64_t{0}); more > 0)
    refused_.push_back(std::to_string(more) + " more");
  return {};
}

}  // namespace client
