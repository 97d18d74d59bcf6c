#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "apps/config/environment.hpp"
#include "apps/config/model_keys.hpp"
#include "apps/doctor/built_for.hpp"
#include "apps/train/generation.hpp"
#include "apps/train/machine.hpp"
#include "apps/verbs/trained.hpp"
#include "apps/verbs/verbs.hpp"

namespace pleiad {
namespace {

/// The number that a flag was given, at least 0.
template <class T>
T number(std::string_view flag, const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && value >= 0) return value;
  throw Error(Exit::usage, fmt::format("{} must be {} >= 0, not \"{}\"\n(pleiad sample --help)", flag,
                                       std::is_integral_v<T> ? "a whole number" : "a number", text));
}

Sampling sampling_of(const Command& c) {
  return {.temperature = number<double>("--temperature", c.temperature),
          .top_k = number<Index>("--top-k", c.top_k),
          .seed = number<std::uint64_t>("--seed", c.seed)};
}

void check_is_language_model(const LoadedCheckpoint& from) {
  if (context_of(from.card.model) > 0) return;
  throw Error(Exit::usage, fmt::format("{} is no language model but {}\nits loss and accuracy: pleiad eval",
                                       from.path.string(), from.card.model.kind));
}

/// Adds bytes to the text; `show` sees each at once.
template <class Show>
std::string generate(Generation& model, const std::string& prompt, Index count, const Sampling& how, Show show) {
  std::vector<std::int32_t> tokens;
  for (const char c : prompt.empty() ? "\n" : prompt) tokens.push_back(static_cast<unsigned char>(c));
  std::string text;
  for (Index i = 0; i < count; ++i) {
    const auto token = choose_token(model.next(tokens), how, i);
    tokens.push_back(static_cast<std::int32_t>(token));
    text.push_back(static_cast<char>(token));
    show(text.back());
  }
  return text;
}

/// As UTF-8, whatever the bytes are.
std::string printable(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

int run_sample(const Command& command) {
  check_instructions();
  const Sampling how = sampling_of(command);
  const auto count = number<Index>("--tokens", command.tokens);
  const auto from = load_trained(command.args[0], runs_folder(command));
  check_is_language_model(from);
  const Config config = config_of(from, {}).config;
  const WorkerChoice workers = choose_workers(config);
  const auto home = read_environment().home;
  const Machine machine = measured_machine(workers, home);
  KernelTimes times((model_folder(home, machine) / "kernels.json").string());
  times.load();
  Engine engine(config, workers, machine, (model_folder(home, machine) / "starpu").string());
  Generation model(config, from, engine, machine, times);
  const auto start = std::chrono::steady_clock::now();
  if (!command.json) fmt::print("{}", command.prompt);
  const auto text = generate(model, command.prompt, count, how, [&](char c) {
    if (!command.json) std::fputc(c, stdout), std::fflush(stdout);
  });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (command.json)
    fmt::print("{}\n", printable({{"checkpoint", from.path.string()},
                                  {"prompt", command.prompt},
                                  {"text", text},
                                  {"tokens", count},
                                  {"tokens_per_s", static_cast<double>(count) / seconds}}));
  else
    fmt::print("\n");
  return static_cast<int>(Exit::ok);
}

}  // namespace pleiad
