#include "runtime/handle.hpp"

#include <starpu.h>

#include "runtime/check.hpp"

namespace pleiad {
namespace {

starpu_data_handle_t register_bytes(int node, void* data, std::size_t bytes) {
  starpu_data_handle_t handle = nullptr;
  starpu_variable_data_register(&handle, node, reinterpret_cast<std::uintptr_t>(data), bytes);
  return handle;
}

}  // namespace

Handle::Handle(std::size_t bytes) : handle_(register_bytes(-1, nullptr, bytes)) {}

void Handle::Release::operator()(DataHandle h) const noexcept { starpu_data_unregister_submit(h); }

BorrowedHandle::BorrowedHandle(void* data, std::size_t bytes) : handle_(register_bytes(STARPU_MAIN_RAM, data, bytes)) {}

void BorrowedHandle::Release::operator()(DataHandle h) const noexcept { starpu_data_unregister(h); }

HostLock::HostLock(DataHandle handle, Access access) : handle_(handle) {
  const auto mode = access == Access::read ? STARPU_R : access == Access::write ? STARPU_W : STARPU_RW;
  check(starpu_data_acquire(handle, mode), "starpu_data_acquire");
  data_ = reinterpret_cast<void*>(starpu_variable_get_local_ptr(handle));
}

HostLock::~HostLock() { starpu_data_release(handle_); }

}  // namespace pleiad
