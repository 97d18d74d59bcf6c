#pragma once
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodels/machine.hpp"

namespace pleiad {

class GpuDevice;

/// Measured time of one kernel (op, dtype, shapes; see kernel_key) in one implementation on one kind of worker.
struct KernelTime {
  double median_us = 0;
  double mad_us = 0;  // median absolute deviation
  int samples = 0;
  friend bool operator==(const KernelTime&, const KernelTime&) = default;
};

/// Median and MAD of at least one sample: up to half of them may be outliers.
KernelTime summary_of(std::vector<double> samples_us);

/// Times of kernels on one kind of hardware, kept in a JSON file of Pleiad's own folder:
/// HOME/perf/HARDWARE_KEY/WORKERS/kernels.json. Any number of processes may load and save: a file is replaced
/// atomically, and saving keeps what others have added meanwhile. Not thread-safe.
class KernelTimes {
 public:
  explicit KernelTimes(std::string file = {});  // empty: in memory only
  /// A missing file is empty. A damaged one is set aside as FILE.damaged, and `note` says so.
  void load();
  /// Adds what was set since loading to the file; makes its folder. Throws Error (Exit::internal) if it cannot be
  /// written (disk full, read-only).
  void save() const;
  std::optional<KernelTime> find(const std::string& key, const std::string& impl) const;
  void set(const std::string& key, const std::string& impl, const KernelTime&);
  std::size_t size() const;  // kernels x implementations
  /// One sentence for the user about the last `load`; empty: nothing to say.
  const std::string& note() const { return note_; }

  using Table = std::map<std::string, std::map<std::string, KernelTime>>;  // key -> implementation -> time

 private:
  std::string file_, note_;
  Table times_, fresh_;  // all; set since loading
};

/// Runs a kernel on tiles with memory of its own (values in the sample's style: small normal numbers, valid ids) until
/// the median is steady or `budget_us` is spent, but at least 5 times; the first call is dropped. Operands come from
/// as many copies as a step's data would be, so they are not all in the caches. CPU time counts: what other programs
/// run meanwhile does not. A kernel that takes twice `rival_us` in both of its first two samples is given up there.
/// Tiles' data pointers are ignored. `workers` threads run the kernel side by side, each on memory of its own, and one
/// is timed: cores share caches, memory and clock, and in a step all are busy.
KernelTime time_kernel(const Op&, const Impl&, const Attrs&, const Signature&, const std::vector<Tile>&,
                       double budget_us, double rival_us = std::numeric_limits<double>::infinity(), int workers = 1);
/// The same on a GPU, alone: kernels in a row on one queue, by wall-clock time, on one copy of the operands.
KernelTime time_kernel(GpuDevice&, const Op&, const Impl&, const Attrs&, const Signature&, const std::vector<Tile>&,
                       double budget_us, double rival_us = std::numeric_limits<double>::infinity());

}  // namespace pleiad
