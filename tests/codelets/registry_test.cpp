#include "codelets/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pleiad {
namespace {

TEST(Registry, HasEveryOpOnceSortedByName) {
  const auto ops = all_ops();
  EXPECT_TRUE(std::ranges::is_sorted(ops, {}, [](const Op* op) { return op->name; }));
  for (const char* name : {"add", "dropout", "adamw", "relu_grad", "retile"}) {
    ASSERT_NE(find_op(name), nullptr) << name;
    EXPECT_EQ(find_op(name)->name, name);
  }
  EXPECT_EQ(find_op("no_such_op"), nullptr);
  EXPECT_NO_THROW(check_registry());
}

void expect_rejected(const Op& op, const std::string& reason) {
  try {
    check_op(op);
    ADD_FAILURE() << "accepted; expected: " << reason;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find(op.name), std::string::npos) << e.what();
  }
}

TEST(Registry, RejectsInconsistentDeclarations) {
  const Op sound = *find_op("gelu");
  EXPECT_NO_THROW(check_op(sound));
  Op op = sound;
  op.name = "Gelu";
  expect_rejected(op, "lower-case");
  op = sound;
  op.operands[1] = {};
  expect_rejected(op, "names 1 operands");
  op = sound;
  op.impls = {op.impls[0]};
  expect_rejected(op, "'ref'");
  op = sound;
  std::ranges::find(op.impls, Device::cpu, &Impl::device)->name = "ref";
  expect_rejected(op, "twice");
  op = sound;
  op.impls = {};
  expect_rejected(op, "no implementation");
  op = sound;
  op.samples = nullptr;
  expect_rejected(op, "no sample");
  op = sound;
  op.over = "c";
  expect_rejected(op, "axis 'c'");
  op = sound;
  op.axes = "...c,c->...c";
  expect_rejected(op, "takes 2 inputs");
  op = sound;
  op.combine = find_op("relu");
  expect_rejected(op, "combine");
}

}  // namespace
}  // namespace pleiad
