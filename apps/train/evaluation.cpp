#include "apps/train/evaluation.hpp"

#include <algorithm>

#include "apps/train/tensors.hpp"
#include "graph/planner.hpp"

namespace pleiad {
namespace {

/// One tile a worker: forward tasks do not wait for each other.
Plan evaluation_plan(Index batch, std::size_t workers) {
  Plan plan;
  const auto tiles = std::min(batch, static_cast<Index>(workers));
  plan.numerics.cuts["batch"] = even_cut(batch, tiles, static_cast<int>(tiles));
  return plan;
}

}  // namespace

Evaluation::Evaluation(const Config& config, const Dataset& data, Engine& engine, const Machine& machine,
                       const KernelTimes& times)
    : model_(evaluation_model(config, {data.sample_shape, data.classes}, std::min(config.train.batch, data.size()))),
      labels_per_sample_(data.labels_per_sample()),
      feed_(data, model_, 0, false) {
  const Plan plan = evaluation_plan(feed_.loader().batch(), engine.workers());
  auto planned = apply_plan(model_.graph(), model_.classes, machine, times, plan, model_.results());
  executor_ = engine.executor(model_.graph(), std::move(planned.tasks));
}

Score Evaluation::run(const Parameters& parameters) {
  for (Sym p : model_.tensors_of(Kind::param)) executor_->write(p, parameters(model_.graph()[p]));
  Score score;
  for (Index step = 0; step < feed_.loader().steps_per_epoch(); ++step) {
    const auto samples = feed_.write(*executor_, step);
    executor_->step({});
    score.loss += read_scalar(*executor_, model_.graph(), model_.net.out.loss) * static_cast<double>(samples);
    score.accuracy += read_scalar(*executor_, model_.graph(), model_.net.out.correct);
    score.samples += samples;
  }
  score.loss /= static_cast<double>(score.samples);
  score.accuracy /= static_cast<double>(score.samples * labels_per_sample_);
  return score;
}

}  // namespace pleiad
