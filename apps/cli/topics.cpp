#include "apps/cli/topics.hpp"

#include <array>

namespace pleiad {
namespace {

constexpr std::string_view kConfig = R"(config   what a training is told

Values come from, later over earlier:
  1. defaults                  pleiad config explain
  2. a preset                  pleiad train fmnist-mlp
  3. a TOML file               pleiad train my.toml
  4. flags                     --train.batch 256, --train.batch=256

A file looks like this; every key is also a flag with the same dotted name:

  extends = "fmnist-mlp"       # a preset or another file; one level

  [train]
  batch = 256
  epochs = 10

  [optim]
  lr = 2e-3

Times are "300us", "60s", "30m", "4h"; sizes "512M", "8G", or a share "80%".
Of train.steps and train.epochs the one set last decides.

  pleiad config init fmnist-mlp -o my.toml    a file to start from
  pleiad config check my.toml                 finds errors without running anything
  pleiad config explain optim                 what the keys mean

The run's own config.toml holds every key with a comment saying where its value came from, and can be trained again.
)";

constexpr std::string_view kExitCodes = R"(exit     codes that pleiad ends with

    0  finished
    1  internal error
    2  command line or config is wrong; nothing was written
    3  data or checkpoint missing, damaged or of another shape; or a file could not be written
    4  hardware or library asked for is not there
    5  no plan fits in memory, or out of memory at run time
    6  diverged: the loss is not a number
    7  stalled: no task finished in train.stall
    8  another process of the run died
   75  stopped early by a signal with a checkpoint written: start again with --resume auto
  130  second Ctrl-C
  143  TERM with no time left to save

In a batch script: run again while the code is 75.
)";

constexpr std::string_view kEnvironment = R"(environ  variables that pleiad reads

  PLEIAD_HOME   performance models and other things kept between runs (default: ~/.cache/pleiad)
  PLEIAD_RUNS   where run folders are made (default: ./runs); --runs DIR goes before it
  PLEIAD_DATA   folders to look for data in, separated by ':'; searched before ./data, $PLEIAD_HOME/data and
                /usr/share/datasets
  PLEIAD_LOG    quiet, normal or verbose; -q and -v go before it

  NO_COLOR, XDG_CACHE_HOME and TMPDIR are honoured. STARPU_* variables that you set win over what pleiad would set.
)";

constexpr std::string_view kRunDirectory = R"(run      what is in runs/NAME

  run.json             state (running, done, stopped, failed), exit code, command line, host, segments
  config.toml          every key, with a comment saying where its value came from
  machine.json         what the machine has, and versions
  plan.json            tiles, placement and predictions
  metrics.jsonl        one line of numbers each time progress is shown; the source of truth
  metrics.rewound.jsonl  lines of steps that were trained again after a resume
  events.jsonl         start, checkpoint, signal, resume, warning
  log/rank0.log        what was printed, with times
  ckpt/step-001000/    config.json model.safetensors optimizer.safetensors state.json MANIFEST.json
  ckpt/latest          the newest checkpoint; LATEST holds its name

A checkpoint holds whole tensors: any number and kind of devices can go on from it. It becomes visible only when all of
it is on the disk. One without a valid MANIFEST.json is never loaded.

A run's name is its folder's. pleiad train ... --name NAME --resume auto goes on where it stopped.
)";

constexpr auto kTopics = std::to_array<Topic>({
    {"config", "presets, TOML files and flags", kConfig},
    {"exit-codes", "what each exit code means", kExitCodes},
    {"environment", "variables that are read", kEnvironment},
    {"run-directory", "what a run leaves behind", kRunDirectory},
});

}  // namespace

std::span<const Topic> topics() { return kTopics; }

}  // namespace pleiad
