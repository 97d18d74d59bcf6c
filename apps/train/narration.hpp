#pragma once
#include <string>

#include "apps/train/training.hpp"
#include "graph/planner.hpp"

namespace pleiad {

// What a training tells the user, as text.

/// Head of the table that `table_line` fills.
std::string table_head();
/// "    468   1.00  0.4794    84.8 %  1.0e-03    25900   4.94 (4.90)  93 %".
std::string table_line(const Row&, double predicted_ms);
/// The same in words, for logs: "step     468  loss 0.4794  test 84.8 %  25,900 samples/s  4.94 ms (4.90)  busy 93 %".
std::string log_line(const Row&, double predicted_ms);

/// One line of metrics.jsonl without time and segment.
std::string metrics_json(const Row&, double predicted_ms);

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

/// "12 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds);
/// "2.0 MiB", "18.8 GiB".
std::string size_text(double bytes);
/// "25,900".
std::string grouped(Index n);

}  // namespace pleiad
