#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "training.hpp"

namespace pleiad {
namespace {

using namespace pleiad::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Cut, EvenTilesDifferByOneAtMost) {
  const Cut c = even_cut(10, 4, 2);
  EXPECT_THAT(c.bounds, ElementsAre(0, 3, 6, 8, 10));
  EXPECT_THAT(c.lane, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(even_cut(10, 3, 8).lane, ElementsAre(0, 1, 2));
  EXPECT_THAT(message_of(Exit::usage, [] { even_cut(3, 4, 1); }), HasSubstr("3 cannot be cut into 4"));
}

TEST(Cut, SizesBecomeBounds) {
  EXPECT_THAT(cut_of_sizes({100, 28}, 1).bounds, ElementsAre(0, 100, 128));
  EXPECT_THAT(message_of(Exit::usage, [] { cut_of_sizes({3, 0}, 1); }), HasSubstr("0 elements"));
}

Plan full_plan() {
  Plan p;
  p.numerics.cuts["batch"] = {.bounds = {0, 5, 13}, .lane = {0, 1}};
  p.numerics.implementations = {{"linear", "onednn"}, {"add fp32 3,3->3", "ref"}};
  p.placement.grid = {{.size = 2, .absent = GridAxis::Absent::by_family},
                      {.size = 3, .absent = GridAxis::Absent::by_tile}};
  p.placement.spread["batch"] = {.grid_axis = 1, .coordinate = {0, 2}};
  p.placement.stage_rank = {0, 1};
  p.placement.grain_us = 123.25;
  return p;
}

TEST(PlanJson, RoundTrips) {
  EXPECT_EQ(plan_from_json(to_json(full_plan())), full_plan());
  EXPECT_EQ(plan_from_json(to_json(Plan())), Plan());
  std::mt19937 random(4);
  const Classes c = unify(contractions().graph());
  for (int i = 0; i < 20; ++i) {
    Plan p = random_plan(c, random, 4);
    place_at_random(p, random);
    EXPECT_EQ(plan_from_json(to_json(p)), p);
  }
}

/// The plan's text with one piece replaced.
std::string edited(const std::string& from, const std::string& to) {
  std::string text = to_json(full_plan());
  const auto where = text.find(from);
  EXPECT_NE(where, std::string::npos) << from;
  return text.replace(where, from.size(), to);
}

TEST(PlanJson, WhatIsWrongIsNamed) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {edited("\"lane\"", "\"lanes\""), "numerics.cuts.batch: unknown field lanes"},
      {edited("\"by_tile\"", "\"somewhere\""), "placement.grid[1].absent: must be first, by_family or by_tile"},
      {edited("123.25", "\"long\""), "placement.grain_us: must be a number"},
      {edited("\"onednn\"", "7"), "numerics.implementations.linear: must be a string"},
      {edited("\"grid_axis\": 1", "\"grid_axis\": 1.5"), "placement.spread.batch.grid_axis: must be an integer"},
      {edited("\"grid_axis\": 1", "\"grid_axis\": 99999999999"),
       "placement.spread.batch.grid_axis: 99999999999 is too large"},
      {edited("\"numerics\"", "\"numeric\""), "unknown field numeric"},
      {"{}", "field numerics is missing"},
      {"[]", "must be an object"},
      {"{\"numerics\"", "not JSON"},
      {"", "not JSON"}};
  for (const auto& [text, message] : bad)
    EXPECT_THAT(message_of(Exit::data, [&] { plan_from_json(text); }), HasSubstr(message)) << text;
}

TEST(CheckPlan, NamesTheClass) {
  const Classes c = unify(contractions().graph());
  const auto message = [&](auto edit) {
    Plan p;
    p.numerics.cuts["batch"] = even_cut(12, 3, 1);
    p.placement.grid = {{.size = 2}};
    edit(p);
    return message_of(Exit::usage, [&] { check_plan(p, c); });
  };
  EXPECT_THAT(message([](Plan& p) { p.numerics.cuts["batsh"] = even_cut(12, 3, 1); }),
              AllOf(HasSubstr("batsh"), HasSubstr("hidden")));
  EXPECT_THAT(message([](Plan& p) { p.numerics.cuts["hidden"] = even_cut(12, 3, 1); }),
              AllOf(HasSubstr("hidden"), HasSubstr("0 to 9")));
  EXPECT_THAT(message([](Plan& p) { p.numerics.cuts["batch"].bounds = {0, 6, 6, 12}; }), HasSubstr("batch"));
  EXPECT_THAT(message([](Plan& p) { p.numerics.cuts["batch"].lane = {0}; }), HasSubstr("1 lanes for 3 tiles"));
  EXPECT_THAT(message([](Plan& p) { p.numerics.cuts["batch"].lane = {0, -1, 0}; }), HasSubstr("lanes start at 0"));
  EXPECT_THAT(message([](Plan& p) { p.numerics.cuts["classes"] = even_cut(5, 5, 1); }),
              AllOf(HasSubstr("classes"), HasSubstr(".V")));
  EXPECT_THAT(message([](Plan& p) {
                p.placement.spread["batch"] = {.grid_axis = 1, .coordinate = {0, 0, 0}};
              }),
              HasSubstr("grid axis 1 of 1"));
  EXPECT_THAT(message([](Plan& p) {
                p.placement.spread["batch"] = {.grid_axis = 0, .coordinate = {0, 2, 0}};
              }),
              HasSubstr("2 is not below 2"));
  EXPECT_THAT(message([](Plan& p) {
                p.placement.spread["in"] = {.grid_axis = 0, .coordinate = {0, 1}};
              }),
              HasSubstr("2 grid coordinates for 1 tiles"));
  EXPECT_THAT(message([](Plan& p) { p.placement.grid[0].size = 0; }), HasSubstr("size 0"));
}

}  // namespace
}  // namespace pleiad
