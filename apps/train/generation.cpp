#include "apps/train/generation.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "apps/train/tensors.hpp"
#include "graph/planner.hpp"

namespace pleiad {
namespace {

/// Uniform in (0, 1) (Philox, Salmon et al. 2011).
double uniform(std::uint64_t seed, Index position) {
  const auto p = static_cast<std::uint64_t>(position);
  const auto word = [](std::uint64_t x, int shift) { return static_cast<std::uint32_t>(x >> shift); };
  const auto random = r123::Philox4x32()({{word(p, 0), word(p, 32), 0, 0}}, {{word(seed, 0), word(seed, 32)}});
  return (random[0] + 0.5) * 0x1p-32;
}

}  // namespace

Index choose_token(std::span<const float> logits, const Sampling& how, Index position) {
  std::vector<Index> order(logits.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](Index i) { return logits[static_cast<std::size_t>(i)]; });
  if (how.temperature <= 0) return order[0];
  if (how.top_k > 0) order.resize(std::min(order.size(), static_cast<std::size_t>(how.top_k)));
  const auto logit = [&](Index i) { return double{logits[static_cast<std::size_t>(i)]}; };
  std::vector<double> sums;
  double sum = 0;
  for (const Index i : order) sums.push_back(sum += std::exp((logit(i) - logit(order[0])) / how.temperature));
  const auto chosen = std::ranges::upper_bound(sums, uniform(how.seed, position) * sum) - sums.begin();
  return order[std::min(static_cast<std::size_t>(chosen), order.size() - 1)];
}

Generation::Generation(const Config& config, const LoadedCheckpoint& from, Engine& engine, const Machine& machine,
                       const KernelTimes& times)
    : model_(evaluation_model(config, {from.card.sample_shape, from.card.classes}, 1)) {
  auto planned = apply_plan(model_.graph(), model_.classes, machine, times, Plan{}, {model_.net.logits});
  executor_ = engine.executor(model_.graph(), std::move(planned.tasks));
  for (Sym p : model_.tensors_of(Kind::param)) {
    const Tensor& t = model_.graph()[p];
    executor_->write(p, from.model.at(t.name, t.dtype, t.shape).data);
  }
}

std::vector<float> Generation::next(std::span<const std::int32_t> tokens) {
  const auto context = static_cast<std::size_t>(model_.graph()[model_.net.x].shape.volume());
  const auto seen = tokens.last(std::min(tokens.size(), context));
  std::vector<std::int32_t> x(context), ignored(context, -1);
  std::ranges::copy(seen, x.begin());
  executor_->write(model_.net.x, std::as_bytes(std::span(x)));
  executor_->write(model_.net.labels, std::as_bytes(std::span(ignored)));
  executor_->step({});
  const auto bytes = read_tensor(*executor_, model_.graph(), model_.net.logits);
  const Tensor& t = model_.graph()[model_.net.logits];
  const auto vocabulary = static_cast<std::size_t>(t.shape.back());
  std::vector<float> logits(vocabulary);
  with_dtype(t.dtype, [&]<class T>() {
    for (std::size_t i = 0; i < vocabulary; ++i) {
      T value;
      std::memcpy(&value, bytes.data() + ((seen.size() - 1) * vocabulary + i) * sizeof(T), sizeof(T));
      logits[i] = static_cast<float>(static_cast<Wide<T>>(value));
    }
  });
  return logits;
}

}  // namespace pleiad
