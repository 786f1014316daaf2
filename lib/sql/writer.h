// Runs the writes of a tenant, in groups that share a commit.
#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <optional>
#include <utility>

#include "lib/base/result.h"
#include "lib/sql/database.h"

namespace sql {

// Any thread but its own.
class Writer {
 public:
  // Whether a work item consumes space on the volume or frees some (a delete).
  enum class Space { kConsumes, kFrees };
  using Work = std::function<base::Status(Database&)>;

  virtual ~Writer() = default;
  // Runs `work` inside the batch's transaction and waits for the commit. An error of `work` rolls
  // back its savepoint only and is returned. May run `work` again after a failed commit.
  base::Status RunAny(Work work, Space space = Space::kConsumes) {
    return RunItem(std::move(work), space);
  }
  // The same without waiting: `work` outlives the call.
  std::future<base::Status> Post(Work work, Space space = Space::kConsumes) {
    return PostItem(std::move(work), space);
  }
  virtual size_t Queued() const = 0;
  virtual bool Failed() const = 0;  // it refuses all items, until the process starts again

  // RunAny with an answer. T must be movable.
  template <class T>
  base::Result<T> Run(std::function<base::Result<T>(Database&)> work,
                      Space space = Space::kConsumes) {
    std::optional<base::Result<T>> answer;
    base::Status committed = RunAny(
        [&](Database& database) -> base::Status {
          answer.emplace(work(database));
          if (!*answer) return answer->error();
          return {};
        },
        space);
    if (!committed) return committed.error();
    return std::move(*answer);
  }

 private:
  virtual base::Status RunItem(Work work, Space space) = 0;
  virtual std::future<base::Status> PostItem(Work work, Space space) = 0;
};

}  // namespace sql
