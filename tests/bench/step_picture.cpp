#include "step_picture.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pleiad {
namespace {

constexpr double kLeft = 60, kWidth = 900, kRow = 44, kTop = 34;

/// Colour by the costliest call: forward, gradient of inputs, gradient of weights, optimizer, the rest.
struct Look {
  std::string_view colour, meaning;
};
constexpr Look kLooks[] = {{"#4c78a8", "forward"},
                           {"#f58518", "loss, input gradients"},
                           {"#54a24b", "weight gradients"},
                           {"#b279a2", "optimizer"},
                           {"#9d9da1", "other"}};

std::size_t look_of(const Task& task) {
  const auto& call = *std::ranges::max_element(task.calls, {}, &KernelCall::predicted_us);
  const auto name = call.op->name;
  if (name == "linear") return 0;
  if (name == "linear_dw") return 2;
  if (name == "einsum" || name.starts_with("softmax")) return 1;
  return name.starts_with("adam") || name == "sgd" || name == "momentum" ? 3 : 4;
}

std::string text(double x, double y, std::string_view words, std::string_view anchor = "start") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, words);
}

std::string box(double x, double y, double width, const Task& task, double us) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\" fill=\"{}\"><title>{}: {:.0f} "
      "us</title></rect>\n",
      x, y, std::max(1.0, width - 1), kRow - 10, kLooks[look_of(task)].colour, task.name(), us);
}

std::string legend(double y) {
  std::string svg;
  double x = kLeft;
  for (const Look& look : kLooks) {
    svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{}\"/>\n", x, y - 10,
                       look.colour);
    svg += text(x + 18, y, look.meaning);
    x += 34 + 7.0 * static_cast<double>(look.meaning.size());
  }
  return svg;
}

}  // namespace

std::string step_picture(const Planned& planned, const StepReport& report) {
  const auto workers = report.busy_us.size();
  double begin = report.tasks.front().start_us, end = 0;
  for (const TaskRecord& r : report.tasks) begin = std::min(begin, r.start_us), end = std::max(end, r.end_us);
  const double predicted = planned.estimate.step_us;
  const double scale = kWidth / std::max(end - begin, predicted);
  const double bottom = kTop + kRow * static_cast<double>(workers);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"13\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kLeft + kWidth + 20, bottom + 40);
  svg += text(kLeft, 20,
              fmt::format("one training step: measured {:.2f} ms, predicted {:.2f} ms", (end - begin) * 1e-3,
                          predicted * 1e-3));
  for (std::size_t w = 0; w < workers; ++w)
    svg += text(kLeft - 8, kTop + kRow * static_cast<double>(w) + 22, fmt::format("cpu{}", w), "end");
  for (const TaskRecord& r : report.tasks)
    svg += box(kLeft + (r.start_us - begin) * scale, kTop + kRow * r.worker, (r.end_us - r.start_us) * scale,
               planned.tasks.tasks[static_cast<std::size_t>(r.task)], r.end_us - r.start_us);
  svg += fmt::format(
      "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#d62728\" stroke-dasharray=\"4 3\"/>\n",
      kLeft + predicted * scale, kTop - 6, bottom);
  return svg + legend(bottom + 22) + "</svg>\n";
}

}  // namespace pleiad
