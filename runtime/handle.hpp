#pragma once
#include <cstddef>
#include <memory>

#include "graph/task_graph.hpp"

struct _starpu_data_state;  // what StarPU's starpu_data_handle_t points to

namespace pleiad {

using DataHandle = _starpu_data_state*;

/// Memory that StarPU allocates where it is first written and frees when the last task using it has ended. Owner.
class Handle {
 public:
  explicit Handle(std::size_t bytes);
  DataHandle get() const { return handle_.get(); }

 private:
  struct Release {
    void operator()(DataHandle) const noexcept;
  };
  std::unique_ptr<_starpu_data_state, Release> handle_;
};

/// The user's memory, lent to StarPU. The destructor waits for tasks that use it and brings the values back to it.
class BorrowedHandle {
 public:
  BorrowedHandle(void* data, std::size_t bytes);
  DataHandle get() const { return handle_.get(); }

 private:
  struct Release {
    void operator()(DataHandle) const noexcept;
  };
  std::unique_ptr<_starpu_data_state, Release> handle_;
};

/// Access from the host for as long as it lives. The constructor blocks until earlier tasks are done with the data,
/// except tasks of a StarpuExecutor: those are over when `step` returns.
class HostLock {
 public:
  HostLock(DataHandle, Access);
  ~HostLock();
  HostLock(const HostLock&) = delete;
  HostLock& operator=(const HostLock&) = delete;

  void* data() const { return data_; }

 private:
  DataHandle handle_;
  void* data_;
};

}  // namespace pleiad
