#include "apps/train/account.hpp"

#include <algorithm>
#include <numeric>

namespace pleiad {
namespace {

double sum(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }

}  // namespace

void Account::add(const StepReport& report, double wall_seconds, Index sample_count) {
  Account one{.steps = 1,
              .samples = sample_count,
              .wall = wall_seconds,
              .step = report.step_us * 1e-6,
              .busy = sum(report.busy_us) * 1e-6,
              .scheduling = sum(report.overhead_us) * 1e-6,
              .moved_bytes = report.moved_bytes,
              .busy_by_worker = report.busy_us};
  for (double& b : one.busy_by_worker) b *= 1e-6;
  add(one);
}

void Account::add(const Account& other) {
  steps += other.steps;
  samples += other.samples;
  wall += other.wall;
  step += other.step;
  busy += other.busy;
  scheduling += other.scheduling;
  moved_bytes += other.moved_bytes;
  busy_by_worker.resize(std::max(busy_by_worker.size(), other.busy_by_worker.size()));
  for (std::size_t w = 0; w < other.busy_by_worker.size(); ++w) busy_by_worker[w] += other.busy_by_worker[w];
}

double Account::waiting_share() const { return std::max(0.0, 1 - busy_share() - scheduling_share()); }

}  // namespace pleiad
