#pragma once
#include <functional>
#include <future>

#include "codelets/registry.hpp"
#include "op_run.hpp"
#include "tape.hpp"

// What every op must satisfy. A check returns what is wrong, or nothing.

namespace pleiad::testing {

using Failure = std::optional<std::string>;

inline constexpr DType kNumeric[] = {DType::f32, DType::f64, DType::bf16};

inline double tolerance_of(DType t) { return t == DType::f64 ? 1e-12 : t == DType::f32 ? 2e-5 : 2e-2; }

inline std::string label(const Op& op, std::size_t operand) {
  return std::string(op.name) + ": " + op.operands[operand].name + ": ";
}

inline Failure differ(const Problem& got, const Problem& wanted, double tolerance, const std::string& context) {
  for (std::size_t i = 0; i < got.operands.size(); ++i)
    if (auto d = difference(got.operands[i], wanted.operands[i], got.written(i) ? tolerance : 0))
      return label(got.op, i) + context + ": " + *d;
  return {};
}

/// Weighted sum of the outputs that the gradient rule cares about.
inline double weighted_loss(Problem& p, const Sample& sample, const Tape& tape) {
  derive(sample, p.operands);
  run_whole(p, reference(p.op));
  double loss = 0;
  for (int o : tape.asked()) {
    const Values &y = p.operands[p.inputs() + static_cast<std::size_t>(o)], &w = tape.output_gradient(o);
    for (Index e = 0; e < y.size(); ++e) loss += y[e] * w[e];
  }
  return loss;
}

/// The sample sets this input itself.
inline bool is_derived(Problem p, const Sample& sample, std::size_t i) {
  p.operands[i].poison();
  derive(sample, p.operands);
  return !std::isnan(p.operands[i][0]);
}

inline Failure check_gradient_of(Problem& p, const Sample& sample, const Tape& tape, std::size_t i) {
  const Values* gradient = tape.gradient(i);
  if (!gradient && is_derived(p, sample, i)) return {};
  if (!gradient) return label(p.op, i) + "the rule gives no gradient";
  if (gradient->shape() != p.operands[i].shape()) return label(p.op, i) + "the gradient has another shape";
  constexpr double kDelta = 1e-5;
  for (Index e = 0; e < gradient->size(); ++e) {
    const double x = p.operands[i][e];
    p.operands[i].set(e, x + kDelta);
    const double above = weighted_loss(p, sample, tape);
    p.operands[i].set(e, x - kDelta);
    const double below = weighted_loss(p, sample, tape);
    p.operands[i].set(e, x);
    const double wanted = (above - below) / (2 * kDelta), got = (*gradient)[e];
    if (!(std::fabs(got - wanted) <= 1e-6 * (1 + std::fabs(wanted))))
      return label(p.op, i) + "gradient " + std::to_string(e) + " is " + std::to_string(got) +
             ", finite differences say " + std::to_string(wanted);
  }
  return {};
}

/// The gradient rule agrees with central finite differences in float64, for every numeric input.
inline Failure check_gradient(const Op& op, const Sample& sample) {
  if (!op.grad) return {};
  Problem p = sample_problem(op, sample, DType::f64);
  const bool may_be_loss = p.operands[p.inputs()].shape().empty() && p.operands[p.inputs()].dtype() != DType::i32;
  for (bool unit : {false, true}) {
    if (unit && !may_be_loss) continue;
    derive(sample, p.operands);
    run_whole(p, reference(op));
    const Tape tape(p, unit);
    if (tape.asked().empty()) return std::string(op.name) + ": the gradient rule asks for the gradient of no output";
    if (unit && tape.asked() != std::set<int>{0}) continue;
    for (std::size_t i = 0; i < p.inputs(); ++i) {
      if (p.operands[i].dtype() == DType::i32) continue;
      if (auto f = check_gradient_of(p, sample, tape, i)) return f;
    }
  }
  return {};
}

/// Every implementation that fits agrees with the reference in every dtype, and that with itself in float64.
inline Failure check_implementations(const Op& op, const Sample& sample) {
  for (DType t : kNumeric) {
    Problem wanted = sample_problem(op, sample, t);
    std::vector<Values> exact_inputs;
    for (std::size_t i = 0; i < wanted.inputs(); ++i) {
      exact_inputs.emplace_back(element_type(op, sample.attrs, i, DType::f64), wanted.operands[i].shape());
      for (Index e = 0; e < exact_inputs[i].size(); ++e) exact_inputs[i].set(e, wanted.operands[i][e]);
    }
    Problem exact(op, sample.attrs, exact_inputs, DType::f64);
    if (!fits(wanted, reference(op), wanted.tiles())) return std::string(op.name) + ": ref does not fit a sample";
    run_whole(exact, reference(op));
    run_whole(wanted, reference(op));
    const std::string context = "ref in " + std::string(name_of(t)) + " against float64";
    if (auto f = differ(wanted, exact, tolerance_of(t), context)) return f;
    for (const Impl& impl : op.implementations()) {
      Problem p = sample_problem(op, sample, t);
      if (!fits(p, impl, p.tiles())) continue;
      run_whole(p, impl);
      if (auto f = differ(p, wanted, tolerance_of(t), std::string(impl.name) + " in " + std::string(name_of(t))))
        return f;
    }
  }
  return {};
}

/// Cut at random along every axis that may be cut, in 1 to 4 lanes, the op gives what it gives in one tile.
inline Failure check_cuts(const Op& op, const Sample& sample) {
  std::mt19937 random(5);
  for (const Impl& impl : op.implementations())
    for (std::size_t trial = 0; trial < 8; ++trial) {
      const DType t = trial % 2 == 0 ? DType::f64 : DType::f32;
      Problem wanted = sample_problem(op, sample, t), p = sample_problem(op, sample, t);
      if (!fits(p, impl, p.tiles())) continue;
      run_whole(wanted, reference(op));
      const std::size_t lanes = trial / 2 + 1;
      const Cuts cuts = random_cuts(p, lanes, random);
      TiledRun(p, impl, cuts, lanes).run();
      const std::string context = std::string(impl.name) + ", cut in " + std::to_string(lanes) + " lanes";
      if (auto f = differ(p, wanted, t == DType::f64 ? 1e-11 : 5e-5, context)) return f;
    }
  return {};
}

/// What is in the outputs beforehand is added to when a tile says so: gradients accumulate into existing tensors.
inline Failure check_accumulate(const Op& op, const Sample& sample) {
  if (op.combine) return {};  // its outputs do not add up
  for (DType t : kNumeric)
    for (const Impl& impl : op.implementations()) {
      Problem wanted = sample_problem(op, sample, t), p = wanted;
      auto tiles = p.tiles();
      std::mt19937 random(3);
      run_whole(wanted, reference(op));
      for (std::size_t i = p.inputs(); i < tiles.size(); ++i) {
        tiles[i].accumulate = true;
        for (Index e = 0; e < tiles[i].size(); ++e) {
          p.operands[i].set(e, draw(Domain::normal, tiles[i].dtype, random));
          wanted.operands[i].set(e, wanted.operands[i][e] + p.operands[i][e]);
        }
      }
      if (!fits(p, impl, tiles)) continue;
      execute(impl, {.tiles = tiles, .attrs = p.attrs, .signature = p.signature, .step = kStep});
      const std::string context = std::string(impl.name) + " accumulating in " + std::string(name_of(t));
      if (auto f = differ(p, wanted, tolerance_of(t), context)) return f;
    }
  return {};
}

/// Kernels write all of their outputs, nothing beside them, none of their inputs, and the same bits every time.
inline Failure check_memory(const Op& op, const Sample& sample) {
  for (DType t : kNumeric)
    for (const Impl& impl : op.implementations()) {
      Problem before = sample_problem(op, sample, t), p = before, again = before;
      if (!fits(p, impl, p.tiles())) continue;
      run_whole(p, impl);
      run_whole(again, impl);
      for (std::size_t i = 0; i < p.operands.size(); ++i) {
        const std::string context = label(op, i) + impl.name + " in " + std::string(name_of(t));
        const Values& v = p.operands[i];
        if (!v.sentinels_intact()) return context + " writes outside of the tile";
        if (!p.written(i) && !v.same_bits(before.operands[i])) return context + " changes an input";
        if (!v.same_bits(again.operands[i])) return context + " gives other bits the second time";
        for (Index e = 0; e < v.size(); ++e)
          if (std::isnan(v[e])) return context + " leaves element " + std::to_string(e) + " unwritten or makes it NaN";
      }
    }
  return {};
}

/// Cost is positive, and the costs of two halves of an axis that costs add up.
inline Failure check_cost(const Op& op, const Sample& sample) {
  Problem p = sample_problem(op, sample, DType::f32);
  const auto tiles = p.tiles();
  const Cost whole = cost_of(op, p.signature, tiles);
  if (!(whole.flops >= 0 && whole.bytes > 0)) return std::string(op.name) + ": a call costs nothing";
  for (char axis : p.signature.axes) {
    const Index extent = axis_extent(axis, p.signature, tiles);
    if (Signature::whole(axis) || extent < 2) continue;
    Cost sum;
    for (Index part : {extent / 3 + 1, extent - extent / 3 - 1}) {
      auto cut = tiles;
      for (std::size_t i = 0; i < cut.size(); ++i) {
        const auto d = p.signature.operands[i].axes.find(axis);
        if (d != std::string::npos) cut[i].shape[d] = part;
      }
      const Cost c = cost_of(op, p.signature, cut);
      sum.flops += c.flops;
      sum.bytes += c.bytes;
    }
    const bool digit = axis >= '0' && axis <= '9';
    const bool costs = op.over.empty() || op.over.find(digit ? '.' : axis) != op.over.npos;
    if (std::fabs(sum.flops - whole.flops * (costs ? 1 : 2)) > 1e-9 * whole.flops)
      return std::string(op.name) + ": flops are not linear in axis " + axis;
    if (sum.bytes < whole.bytes || sum.bytes > 2 * whole.bytes)
      return std::string(op.name) + ": bytes do not follow axis " + axis;
  }
  return {};
}

/// What signature_of says about these inputs; empty if they fit.
inline std::string complaint(const Op& op, const Attrs& attrs, const std::vector<Shape>& inputs) {
  try {
    signature_of(op, attrs, inputs);
  } catch (const ShapeError& e) {
    return e.what();
  }
  return {};
}

inline Failure check_complaint(const Op& op, const Sample& sample, const std::vector<Shape>& inputs, std::size_t i,
                               const std::string& what) {
  const std::string text = complaint(op, sample.attrs, inputs);
  if (text.empty()) return label(op, i) + "a wrong " + what + " is accepted";
  if (text.find(op.operands[i].name) == text.npos || text.find(op.name) == text.npos)
    return label(op, i) + "a wrong " + what + " is rejected without naming op and operand: " + text;
  return {};
}

/// One extent or one rank wrong is rejected, naming op and operand.
inline Failure check_bad_shapes(const Op& op, const Sample& sample) {
  const Signature s = signature_of(op, sample.attrs, sample.inputs);
  const std::size_t inputs = s.inputs();
  const auto elsewhere = [&](std::size_t i, auto has) {
    for (std::size_t j = 0; j < inputs; ++j)
      if (j != i && has(s.operands[j].axes)) return true;
    return false;
  };
  for (std::size_t i = 0; i < inputs; ++i) {
    const std::string& axes = s.operands[i].axes;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      auto wrong = sample.inputs;
      ++wrong[i][d];
      if (!elsewhere(i, [&](const std::string& a) { return a.find(axes[d]) != a.npos; })) continue;
      if (auto f = check_complaint(op, sample, wrong, i, "extent")) return f;
    }
    const auto dots = [](const std::string& a) { return a.find('0') != a.npos; };
    auto wrong = sample.inputs;
    if (wrong[i].rank() == kMaxRank || (dots(axes) && !elsewhere(i, dots))) continue;
    wrong[i].push_back(3);
    if (op.notation(sample.attrs).find("...") != std::string_view::npos && axes.empty()) continue;
    if (auto f = check_complaint(op, sample, wrong, i, "rank")) return f;
  }
  auto more = sample.inputs;
  more.push_back({2});
  if (complaint(op, sample.attrs, more).empty()) return std::string(op.name) + ": one input too many is accepted";
  return {};
}

/// Runs the call again and again on one of several threads; false as soon as a result differs in a bit.
inline bool repeats(const Problem& before, const Problem& wanted, const Impl& impl) {
  for (int i = 0; i < 200; ++i) {
    Problem p = before;
    run_whole(p, impl);
    for (std::size_t o = 0; o < p.operands.size(); ++o)
      if (!p.operands[o].same_bits(wanted.operands[o])) return false;
  }
  return true;
}

/// Workers may run one kernel at the same time: the bits are those of one alone. (A GPU has one thread that starts
/// all.)
inline Failure check_threads(const Op& op, const Sample& sample) {
  for (const Impl& impl : op.implementations()) {
    if (impl.device == Device::gpu) continue;
    const Problem before = sample_problem(op, sample, DType::f32);
    Problem wanted = before;
    if (!fits(wanted, impl, wanted.tiles())) continue;
    run_whole(wanted, impl);
    auto other = std::async(std::launch::async, [&] { return repeats(before, wanted, impl); });
    const bool same = repeats(before, wanted, impl);
    if (!other.get() || !same)
      return std::string(op.name) + ": " + impl.name + " gives other bits while another thread runs it";
  }
  return {};
}

struct NamedCheck {
  const char* name;
  Failure (*run)(const Op&, const Sample&);
};
inline constexpr NamedCheck kChecks[] = {
    {"gradient", check_gradient}, {"implementations", check_implementations},
    {"cuts", check_cuts},         {"accumulate", check_accumulate},
    {"memory", check_memory},     {"threads", check_threads},
    {"cost", check_cost},         {"bad_shapes", check_bad_shapes},
};

/// The first complaint of any check about any sample of the op.
inline Failure check_everything(const Op& op) {
  check_op(op);
  for (const NamedCheck& check : kChecks)
    for (const Sample& sample : op.samples())
      if (auto f = check.run(op, sample)) return std::string(check.name) + ": " + *f;
  return {};
}

}  // namespace pleiad::testing
