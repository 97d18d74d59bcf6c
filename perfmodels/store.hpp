#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perfmodels/machine.hpp"

namespace pleiad {

/// Measured time of one kernel (op, dtype, shapes; see kernel_key) in one implementation on one kind of worker.
struct KernelTime {
  double median_us = 0;
  double mad_us = 0;  // median absolute deviation
  int samples = 0;
};

/// Times of kernels on one kind of hardware, kept in a JSON file of Pleiad's own folder:
/// HOME/perf/HARDWARE_KEY/kernels.json. One process writes it atomically; a damaged file is reported and set aside.
class KernelTimes {
 public:
  explicit KernelTimes(std::string file = {});  // empty: in memory only
  void load();
  void save() const;
  std::optional<KernelTime> find(const std::string& key, const std::string& impl) const;
  void set(const std::string& key, const std::string& impl, const KernelTime&);
  std::size_t size() const;

 private:
  std::string file_;
  std::map<std::string, std::map<std::string, KernelTime>> times_;
};

/// Runs a kernel on tiles with memory of its own (values in the sample's style: small normal numbers, valid ids) until
/// the median is steady or `budget_us` is spent; the first call is dropped. Tiles' data pointers are ignored.
KernelTime time_kernel(const Op&, const Impl&, const Attrs&, const Signature&, const std::vector<Tile>&, double budget_us);

}  // namespace pleiad
