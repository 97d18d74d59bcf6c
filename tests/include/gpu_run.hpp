#pragma once
#include "codelets/gpu/device.hpp"
#include "codelets/op.hpp"
#include "values.hpp"

// Runs GPU implementations on copies of tiles that lie in host memory, sentinels included.

namespace pleiad::testing {

/// The GPU that tests run on: a CUDA device, or else what OpenCL offers first (PoCL where there is no GPU); null if
/// there is none at all.
inline GpuDevice* test_gpu() {
  static const auto device = []() -> std::unique_ptr<GpuDevice> {
    auto devices = cuda_devices();
    if (devices.empty()) devices = opencl_devices();
    return devices.empty() ? nullptr : std::move(devices.front());
  }();
  return device.get();
}

/// Copy of a tile of a `Values` on a GPU, with the sentinels before and after it.
class GpuTile {
 public:
  GpuTile(GpuDevice& gpu, const Tile& host) : gpu_(gpu), host_(around(host)) {
    constexpr std::size_t before = GpuDevice::kSliceAlignment - Values::kBlock;
    all_ = gpu.allocate(before + host_.size());
    gpu.write(all_, padded(before));
    tile_ = gpu.slice(all_, GpuDevice::kSliceAlignment, host_.size() - 2 * Values::kBlock);
  }
  ~GpuTile() {
    gpu_.free(tile_);
    gpu_.free(all_);
  }
  GpuTile(const GpuTile&) = delete;
  GpuTile& operator=(const GpuTile&) = delete;

  void* data() const { return tile_.handle; }
  void copy_back() {
    std::vector<std::byte> all(GpuDevice::kSliceAlignment - Values::kBlock + host_.size());
    gpu_.read(all_, all);
    std::copy(all.end() - static_cast<std::ptrdiff_t>(host_.size()), all.end(), host_.begin());
  }

 private:
  static std::span<std::byte> around(const Tile& t) {
    const std::size_t blocks = (t.bytes() + Values::kBlock - 1) / Values::kBlock + 2;
    return {t.as<std::byte>() - Values::kBlock, blocks * Values::kBlock};
  }
  std::vector<std::byte> padded(std::size_t before) const {
    std::vector<std::byte> all(before);
    all.insert(all.end(), host_.begin(), host_.end());
    return all;
  }

  GpuDevice& gpu_;
  std::span<std::byte> host_;
  GpuMemory all_, tile_;
};

/// Runs an implementation of any device kind on tiles of `Values`.
inline void execute(const Impl& impl, const Call& call) {
  if (impl.device == Device::cpu) return impl.run(call);
  GpuDevice& gpu = *test_gpu();
  std::vector<std::unique_ptr<GpuTile>> copies;
  std::vector<Tile> tiles(call.tiles.begin(), call.tiles.end());
  for (Tile& t : tiles) {
    copies.push_back(std::make_unique<GpuTile>(gpu, t));
    t.data = copies.back()->data();
  }
  impl.run(
      {.tiles = tiles, .attrs = call.attrs, .signature = call.signature, .step = call.step, .stream = &gpu.queue()});
  for (auto& copy : copies) copy->copy_back();
}

}  // namespace pleiad::testing
