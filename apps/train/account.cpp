#include "apps/train/account.hpp"

#include <algorithm>
#include <numeric>

namespace pleiad {
namespace {

void add_each(std::vector<double>& to, const std::vector<double>& more) {
  to.resize(std::max(to.size(), more.size()));
  for (std::size_t i = 0; i < more.size(); ++i) to[i] += more[i];
}

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
              .busy_by_worker = report.busy_us,
              .tasks_by_worker = {report.tasks_done.begin(), report.tasks_done.end()},
              .in_by_worker = report.in_bytes,
              .out_by_worker = report.out_bytes};
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
  for (auto part :
       {&Account::busy_by_worker, &Account::tasks_by_worker, &Account::in_by_worker, &Account::out_by_worker})
    add_each(this->*part, other.*part);
}

double Account::waiting_share() const { return std::max(0.0, 1 - busy_share() - scheduling_share()); }

}  // namespace pleiad
