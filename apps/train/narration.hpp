#pragma once
#include <string>

#include "apps/run/console.hpp"
#include "apps/run/metrics.hpp"
#include "apps/train/training.hpp"
#include "graph/planner.hpp"

namespace pleiad {

// What a training tells the user, as text.

/// A row as the console shows it and as metrics.jsonl keeps it.
Progress console_row(const Row&, double predicted_ms);
/// `workers`: their names.
MetricsRow metrics_row(const Row&, double predicted_ms, Index segment, const std::vector<std::string>& workers);

/// "mlp 784-512-256-10: 535,818 parameters (2.0 MiB)".
std::string describe_model(const Config&, const Model&, const DataShape&);
/// "batch 128 as 2 x 64 · 14 tasks a step · policy prio · grain 100 us".
std::string describe_plan(const Planned&, Index batch, const std::string& policy);
/// "11 MiB of 18.8 GiB".
std::string describe_memory(const Planned&, const Machine&, double share);
/// "4.90 ms a step, 469 steps an epoch, about 14 s for 6 epochs".
std::string describe_prediction(double step_ms, Index steps_per_epoch, Index steps_left);
/// "busy 93 % · waiting 4 % · scheduling 3 % · predicted 4.90 ms, measured 4.95 (+1.0 %)".
std::string describe_time(const Account&, double predicted_ms, double measured_ms);
/// "cpu0 812 tasks · opencl0 214 tasks, 34.2 MiB in, 3.1 MiB out": each worker over the whole account.
std::string describe_devices(const Account&, const std::vector<std::string>& workers);

/// "12 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds);
/// "2.0 MiB", "18.8 GiB".
std::string size_text(double bytes);

}  // namespace pleiad
