#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/task_graph.hpp"

namespace pleiad {

/// Runs the steps of one task graph and holds its tensors. Values cross the border as logical tensors, dense and
/// row-major, whatever the tiles.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Sets an input, parameter or state. `values` holds the whole logical tensor in its dtype. Blocks.
  virtual void write(Sym, std::span<const std::byte> values) = 0;
  /// Copies a kept tensor out. Blocks until the steps submitted so far have written it.
  virtual void read(Sym, std::span<std::byte> values) const = 0;
  /// Runs one step to its end.
  virtual void step(const Step&) = 0;
};

/// Reference: runs the kernel calls one after another on the calling thread, as recorded or in a random topological
/// order. Temporary outputs are poisoned with NaN before they are written.
class SequentialExecutor final : public Executor {
 public:
  SequentialExecutor(const Graph&, TaskGraph, std::optional<unsigned> order_seed = {});
  ~SequentialExecutor() override;
  void write(Sym, std::span<const std::byte> values) override;
  void read(Sym, std::span<std::byte> values) const override;
  void step(const Step&) override;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

/// Executes nothing: notes what would run, in order, one line a kernel call.
class RecordingExecutor final : public Executor {
 public:
  RecordingExecutor(const Graph&, TaskGraph);
  void write(Sym, std::span<const std::byte>) override;
  void read(Sym, std::span<std::byte>) const override;
  void step(const Step&) override;
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  const Graph& graph_;
  TaskGraph tasks_;
  mutable std::vector<std::string> lines_;
};

/// Copies between a logical tensor and one tile of it (dense, row-major both).
void copy_to_tile(const Buffer&, std::span<const std::byte> logical, void* tile) noexcept;
void copy_from_tile(const Buffer&, const void* tile, std::span<std::byte> logical) noexcept;

}  // namespace pleiad
