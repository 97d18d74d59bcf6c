#pragma once
#include <set>

#include "op_run.hpp"

namespace pleiad::testing {

/// Runs the gradient rule of one call in float64, on the reference implementations.
class Tape final : public Grad {
 public:
  /// `problem` has been run. With `unit`, output 0 is the loss itself; else every output has a random gradient.
  Tape(const Problem& problem, bool unit, unsigned seed = 11)
      : op_(problem.op), attrs_(problem.attrs), signature_(problem.signature), tensors_(problem.operands), unit_(unit) {
    std::mt19937 random(seed);
    for (std::size_t i = signature_.inputs(); i < signature_.operands.size(); ++i) {
      Values d(DType::f64, tensors_[i].shape());
      for (Index e = 0; e < d.size(); ++e) d.set(e, unit ? 1 : draw(Domain::normal, DType::f64, random));
      gradient_of_output_.push_back(add(std::move(d)));
    }
    gradient_.resize(signature_.inputs());
    op_.grad(*this);
  }

  /// The gradient that the rule gave to input i, or null.
  const Values* gradient(std::size_t i) const { return gradient_[i].id < 0 ? nullptr : &at(gradient_[i]); }
  /// Outputs whose gradient the rule asked for; it treats the others as values saved for itself.
  const std::set<int>& asked() const { return asked_; }
  const Values& output_gradient(int i) const { return at(gradient_of_output_[static_cast<std::size_t>(i)]); }

  Sym x(int i) override { return {i}; }
  Sym y(int i) override { return {static_cast<int>(signature_.inputs()) + i}; }
  Sym dy(int i) override {
    asked_.insert(i);
    return gradient_of_output_[static_cast<std::size_t>(i)];
  }
  bool unit_dy() override {
    asked_.insert(0);
    return unit_;
  }
  bool wants(int i) override { return tensors_[static_cast<std::size_t>(i)].dtype() != DType::i32; }
  void dx(int i, Sym gradient) override { gradient_[static_cast<std::size_t>(i)] = gradient; }
  const Attrs& attrs() override { return attrs_; }
  const Signature& signature() override { return signature_; }
  Shape shape(Sym s) override { return at(s).shape(); }
  DType dtype(Sym s) override { return at(s).dtype(); }
  std::vector<Sym> call(const Op& op, const std::vector<Sym>& inputs, const Attrs& attrs) override {
    std::vector<Values> values;
    for (Sym s : inputs) values.push_back(at(s));
    Problem p(op, attrs, std::move(values), DType::f64);
    run_whole(p, reference(op));
    std::vector<Sym> outputs;
    for (std::size_t i = p.inputs(); i < p.operands.size(); ++i) outputs.push_back(add(p.operands[i]));
    return outputs;
  }

 private:
  const Values& at(Sym s) const { return tensors_.at(static_cast<std::size_t>(s.id)); }
  Sym add(Values v) {
    tensors_.push_back(std::move(v));
    return {static_cast<int>(tensors_.size()) - 1};
  }

  const Op& op_;
  Attrs attrs_;
  Signature signature_;
  std::vector<Values> tensors_;  // operands of the call, then what the rule makes
  bool unit_;
  std::vector<Sym> gradient_of_output_, gradient_;
  std::set<int> asked_;
};

}  // namespace pleiad::testing
