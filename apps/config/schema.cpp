#include "apps/config/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/config/field.hpp"
#include "apps/config/suggest.hpp"
#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

template <auto Section, auto Field>
constexpr Key key(std::string_view name, std::string_view help) {
  using Type = std::remove_cvref_t<decltype(std::declval<Config>().*Section.*Field)>;
  Key k;
  k.name = name;
  k.help = help;
  k.expected = expected_of<Type>;
  k.is_text = std::is_same_v<Type, std::string>;
  k.is_switch = std::is_same_v<Type, bool>;
  k.read = [](const Value& value, Config& config) { return read_value(value, config.*Section.*Field); };
  k.to_toml = [](const Config& config) { return to_toml(config.*Section.*Field); };
  return k;
}

constexpr Key with(Key k, Interval range, std::string_view unit = "") {
  k.range = range;
  k.unit = unit;
  return k;
}

constexpr Key one_of(Key k, std::string_view choices) {
  k.choices = choices;
  return k;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMaxCount = 1e15;
constexpr Interval kPositive{0, kInfinity, true};
constexpr Interval kNotNegative{0};
constexpr Interval kCount{1, kMaxCount};
constexpr Interval kCountOrZero{0, kMaxCount};
constexpr Interval kBelowOne{0, 1, false, true};

constexpr auto kSchema = std::to_array<Key>({
    key<&Config::run, &RunConfig::name>("run.name",
                                        "name of the run and of its folder; empty: made from the preset and the date"),
    with(key<&Config::run, &RunConfig::seed>("run.seed", "start of all random numbers: weights, data order, dropout"),
         kCountOrZero),

    one_of(key<&Config::model, &ModelConfig::kind>("model.kind", "kind of network"), "mlp|cnn|lstm|gpt2"),
    with(key<&Config::model, &ModelConfig::hidden>("model.hidden", "widths of the hidden layers, first to last"),
         {1, 1e9}),
    one_of(key<&Config::model, &ModelConfig::activation>("model.activation", "function after each hidden layer"),
           "relu|gelu|silu"),
    with(key<&Config::model, &ModelConfig::channels>("model.channels", "widths of the stages, first to last (cnn)"),
         {1, 1e6}),
    with(key<&Config::model, &ModelConfig::blocks>("model.blocks", "residual blocks in each stage (cnn)"), {1, 1e3}),
    with(key<&Config::model, &ModelConfig::layers>("model.layers", "layers above each other (lstm, gpt2)"), {1, 1e4}),
    with(key<&Config::model, &ModelConfig::heads>("model.heads", "attention heads in each layer (gpt2)"), {1, 1e4}),
    with(key<&Config::model, &ModelConfig::width>("model.width", "values that stand for one token (lstm, gpt2)"),
         {1, 1e6}),
    with(key<&Config::model, &ModelConfig::context>("model.context", "tokens of one sample (lstm, gpt2)"), {1, 1e7},
         "tokens"),
    with(key<&Config::model, &ModelConfig::dropout>("model.dropout", "share of hidden values set to 0 while training"),
         kBelowOne),
    key<&Config::model, &ModelConfig::init>("model.init",
                                            "random, or a .safetensors file or checkpoint folder to start from"),

    key<&Config::data, &DataConfig::train>("data.train",
                                           "training data: a known name, a file (IDX, CSV, npy, npz) or a folder"),
    key<&Config::data, &DataConfig::val>("data.val",
                                         "data to test on; empty: the test part that comes with data.train, "
                                         "or else a share of it"),
    with(key<&Config::data, &DataConfig::holdout>("data.holdout", "share kept for testing where there is no test part"),
         {0, 1, true, true}),
    one_of(key<&Config::data, &DataConfig::label>("data.label", "column of the label in a table"), "first|last"),
    one_of(key<&Config::data, &DataConfig::normalize>(
               "data.normalize", "max: divide by the largest value; standard: mean 0 and deviation 1 for each feature"),
           "none|max|standard"),
    key<&Config::data, &DataConfig::shuffle>("data.shuffle", "another order of the samples in every epoch"),

    with(key<&Config::train, &TrainConfig::steps>("train.steps", "length of the training; 0: as train.epochs says"),
         kCountOrZero, "steps"),
    with(key<&Config::train, &TrainConfig::epochs>("train.epochs", "length of the training; 0: as train.steps says"),
         kCountOrZero, "epochs"),
    with(key<&Config::train, &TrainConfig::batch>("train.batch", "samples in a step, on all devices together"),
         {1, 1e9}, "samples"),
    with(key<&Config::train, &TrainConfig::grad_clip>("train.grad_clip", "largest norm of the gradient; 0: no limit"),
         kNotNegative),
    with(key<&Config::train, &TrainConfig::eval_every>("train.eval_every",
                                                       "steps between two tests; 0: after every epoch"),
         kCountOrZero, "steps"),
    key<&Config::train, &TrainConfig::stall>("train.stall", "give up (exit 7) when no task has finished for so long"),

    one_of(key<&Config::optim, &OptimConfig::kind>("optim.kind", "rule that updates the weights"),
           "sgd|momentum|adam|adamw|lion|lamb|adafactor"),
    with(key<&Config::optim, &OptimConfig::lr>("optim.lr", "learning rate, at its highest"), kPositive),
    one_of(key<&Config::optim, &OptimConfig::schedule>("optim.schedule", "how the learning rate falls towards 0"),
           "constant|cosine|linear"),
    with(key<&Config::optim, &OptimConfig::warmup>("optim.warmup", "steps over which the learning rate first rises"),
         kCountOrZero, "steps"),
    with(key<&Config::optim, &OptimConfig::weight_decay>("optim.weight_decay", "pull of the weights towards 0"),
         kNotNegative),
    with(key<&Config::optim, &OptimConfig::momentum>("optim.momentum", "share of the last update kept (momentum)"),
         kBelowOne),
    with(key<&Config::optim, &OptimConfig::beta1>("optim.beta1",
                                                  "decay of the mean of gradients (adam, adamw, lion, lamb)"),
         kBelowOne),
    with(key<&Config::optim, &OptimConfig::beta2>(
             "optim.beta2", "decay of the mean of squares (adam, adamw, lamb); of the mean of gradients kept (lion)"),
         kBelowOne),
    with(key<&Config::optim, &OptimConfig::eps>("optim.eps",
                                                "added to the root of the mean of squares (adam, adamw, lamb)"),
         kPositive),

    with(key<&Config::machine, &MachineConfig::cpus>("machine.cpus",
                                                     "CPU workers; auto: one a core, but for one core a GPU"),
         {1, 65536}),
    with(key<&Config::machine, &MachineConfig::gpus>("machine.gpus", "CUDA GPUs that get a worker; auto: all"),
         {0, 64}),
    with(key<&Config::machine, &MachineConfig::opencl>(
             "machine.opencl", "OpenCL devices that get a worker: GPUs, or CPUs (PoCL) where OpenCL offers no GPU"),
         {0, 64}),

    one_of(key<&Config::schedule, &ScheduleConfig::policy>("schedule.policy",
                                                           "StarPU scheduler; auto: prio on equal "
                                                           "workers, dmdas on unlike ones; sequential: no StarPU, "
                                                           "one task after another"),
           "auto|sequential|eager|prio|random|ws|lws|dm|dmda|dmdar|dmdas|dmdasd|heteroprio|modular-heft|modular-ws"),
    with(key<&Config::schedule, &ScheduleConfig::batch_tiles>(
             "schedule.tiles.batch", "how the batch is cut: size of a tile, or sizes of all; auto: by prediction"),
         {1, 1e9}, "samples"),
    key<&Config::schedule, &ScheduleConfig::grain>("schedule.grain", "tasks shorter than this are fused or cut less"),

    key<&Config::memory, &MemoryConfig::host>("memory.host", "memory that the training may take"),
    key<&Config::memory, &MemoryConfig::gpu>("memory.gpu", "memory that it may take of each GPU"),

    key<&Config::numerics, &NumericsConfig::dtype>("numerics.dtype", "type that tensors are stored in"),
    key<&Config::numerics, &NumericsConfig::deterministic>("numerics.deterministic",
                                                           "the same bits whatever the workers and their order"),

    with(key<&Config::checkpoint, &CheckpointConfig::every>(
             "checkpoint.every", "time or steps between two checkpoints; 0: only at the end"),
         kCountOrZero),
    with(key<&Config::checkpoint, &CheckpointConfig::keep>("checkpoint.keep", "newest checkpoints kept"), kCount),
    with(key<&Config::checkpoint, &CheckpointConfig::keep_every>(
             "checkpoint.keep_every", "checkpoints at multiples of this are kept for good; 0: none"),
         kCountOrZero, "steps"),
    key<&Config::checkpoint, &CheckpointConfig::on_signal>("checkpoint.on_signal",
                                                           "on Ctrl-C, TERM and USR2: checkpoint, then exit 75"),

    with(key<&Config::log, &LogConfig::every>("log.every", "time or steps between two progress lines"), kCount),
});

constexpr auto kNames = [] {
  std::array<std::string_view, kSchema.size()> names;
  std::ranges::transform(kSchema, names.begin(), &Key::name);
  return names;
}();

std::string describe_range(const Interval& range) {
  const bool low = std::isfinite(range.low), high = std::isfinite(range.high) && range.high < 1e9;
  if (low && high)
    return fmt::format(" in {}{}, {}{}", range.low_open ? '(' : '[', range.low, range.high,
                       range.high_open ? ')' : ']');
  return low ? fmt::format(" {} {}", range.low_open ? ">" : ">=", range.low) : "";
}

bool in_range(const Interval& range, const Value& value) {
  if (const auto* integer = std::get_if<Index>(&value)) return range.contains(static_cast<double>(*integer));
  if (const auto* number = std::get_if<double>(&value)) return range.contains(*number);
  const auto* list = std::get_if<std::vector<Index>>(&value);
  return !list || std::ranges::all_of(*list, [&](Index i) { return range.contains(static_cast<double>(i)); });
}

bool is_choice(const Key& key, const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return key.choices.empty() || (text && std::ranges::count(split_choices(key.choices), *text) > 0);
}

std::string meant_choice(const Key& key, const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text ? closest(*text, split_choices(key.choices.empty() ? key.expected : key.choices)) : "";
}

}  // namespace

std::span<const Key> schema() { return kSchema; }
std::span<const std::string_view> key_names() { return kNames; }

const Key* find_key(std::string_view name) {
  const auto found = std::ranges::find(kSchema, name, &Key::name);
  return found == kSchema.end() ? nullptr : &*found;
}

bool is_section(std::string_view name) {
  return std::ranges::any_of(kSchema, [&](const Key& k) {
    return k.name.size() > name.size() && k.name.starts_with(name) && k.name[name.size()] == '.';
  });
}

std::string allowed_values(const Key& key) {
  if (!key.choices.empty()) return fmt::format("{}", fmt::join(split_choices(key.choices), " | "));
  return fmt::format("{}{}", key.expected, describe_range(key.range));
}

void assign(const Key& key, const Value& value, std::string_view where, Config& config) {
  if (is_choice(key, value) && in_range(key.range, value) && key.read(value, config)) return;
  const auto meant = meant_choice(key, value);
  throw Error(Exit::usage, fmt::format("{}: {} must be {}, not {}\n{}(pleiad config explain {})", where, key.name,
                                       allowed_values(key), describe(value),
                                       meant.empty() ? "" : fmt::format("did you mean {}?   ", meant), key.name));
}

void throw_unknown_key(std::string_view name, std::string_view where) {
  const auto meant = closest(name, kNames);
  const auto* key = find_key(meant);
  throw Error(Exit::usage,
              fmt::format("{}: unknown key {}\n{}", where, name,
                          key ? fmt::format("did you mean {}?   (pleiad config explain {})", meant, key->section())
                              : "pleiad config explain   lists all keys"));
}

std::vector<std::string_view> split_choices(std::string_view choices) {
  std::vector<std::string_view> parts;
  while (!choices.empty()) {
    const auto bar = std::min(choices.find('|'), choices.size());
    auto part = choices.substr(0, bar);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    parts.push_back(part.substr(0, part.find_last_not_of(' ') + 1));
    choices.remove_prefix(std::min(bar + 1, choices.size()));
  }
  return parts;
}

}  // namespace pleiad
