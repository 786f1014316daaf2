// Test code: runs each call of a host on given rows, without transactions, and counts writes.
#pragma once

#include "memory/rows/host.h"

namespace memory {

template <class Rows>
class FakeHost final : public RowHost<Rows> {
 public:
  using typename RowHost<Rows>::Work;
  using typename RowHost<Rows>::Space;
  explicit FakeHost(Rows& rows) : rows_(rows) {}
  base::Status Admit() override { return admits; }
  base::Status Read(const Work& work) override { return work(rows_); }
  base::Status ReadUnhurried(const Work& work) override { return work(rows_); }
  base::Status Write(const Work& work, Space) override {
    ++writes;
    return work(rows_);
  }
  base::Status admits;
  int writes = 0;

 private:
  Rows& rows_;
};

}  // namespace memory
