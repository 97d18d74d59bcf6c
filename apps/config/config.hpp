#pragma once
#include <optional>
#include <string>
#include <vector>

#include "codelets/base/dtype.hpp"
#include "codelets/base/shape.hpp"

namespace pleiad {

struct Duration {
  double seconds = 0;
  friend bool operator==(const Duration&, const Duration&) = default;
};

/// How often something happens: after so much time, or every so many steps. Both 0: never.
struct Period {
  Duration time;
  Index steps = 0;
  friend bool operator==(const Period&, const Period&) = default;
};

/// An amount of memory: bytes, or if those are 0 a share (0..1) of what there is.
struct MemoryLimit {
  Index bytes = 0;
  double share = 0;
  friend bool operator==(const MemoryLimit&, const MemoryLimit&) = default;
};

/// CPU workers: a number, or the logical cores named; both empty: one for each core allowed to this process.
struct Cpus {
  Index count = 0;
  std::vector<Index> cores;
  friend bool operator==(const Cpus&, const Cpus&) = default;
};

/// How the batch is cut. Empty: auto; one size: tiles of that size; more: the size of each tile, their sum is the
/// batch.
struct Tiles {
  std::vector<Index> sizes;
  friend bool operator==(const Tiles&, const Tiles&) = default;
};

struct RunConfig {
  std::string name;  // "": made from the preset, the date and two letters
  Index seed = 1;
};

/// Which keys a kind of network uses: model_keys.
struct ModelConfig {
  std::string kind = "mlp";
  std::vector<Index> hidden = {512, 256};
  std::string activation = "relu";
  std::vector<Index> channels = {16, 32, 64};
  Index blocks = 1;  // residual blocks of each entry of channels
  Index layers = 4;
  Index heads = 8;
  Index width = 256;
  Index context = 256;  // tokens of a sample
  double dropout = 0;
  std::string init = "random";  // else a .safetensors file or a checkpoint folder
};

struct DataConfig {
  std::string train;
  std::string val;
  double holdout = 0.2;
  std::string label = "last";
  std::string normalize = "none";
  bool shuffle = true;
};

/// `steps` and `epochs`: exactly one of them is not 0.
struct TrainConfig {
  Index steps = 0;
  Index epochs = 5;
  Index batch = 128;
  double grad_clip = 0;  // 0: off
  Index eval_every = 0;  // steps; 0: after every epoch
  Duration stall = {60};
};

struct OptimConfig {
  std::string kind = "adamw";
  double lr = 1e-3;
  std::string schedule = "constant";
  Index warmup = 0;  // steps
  double weight_decay = 0;
  double momentum = 0.9;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
};

struct MachineConfig {
  Cpus cpus;
  std::optional<Index> gpus;  // CUDA GPUs; empty: all
  Index opencl = 0;           // OpenCL devices
};

struct ScheduleConfig {
  std::string policy = "auto";
  Tiles batch_tiles;
  std::optional<Duration> grain;  // shortest task worth its overhead; empty: auto
};

struct MemoryConfig {
  MemoryLimit host = {0, 0.8};
  MemoryLimit gpu = {0, 0.9};  // of each
};

struct NumericsConfig {
  DType dtype = DType::f32;
  bool deterministic = false;
};

struct CheckpointConfig {
  Period every = {{1800}, 0};
  Index keep = 3;
  Index keep_every = 0;  // steps; 0: off
  bool on_signal = true;
};

struct LogConfig {
  std::optional<Period> every;  // empty: auto
};

/// Everything a training can be told. The defaults are those of `pleiad config explain`; schema.cpp holds one row a
/// key.
struct Config {
  RunConfig run;
  ModelConfig model;
  DataConfig data;
  TrainConfig train;
  OptimConfig optim;
  MachineConfig machine;
  ScheduleConfig schedule;
  MemoryConfig memory;
  NumericsConfig numerics;
  CheckpointConfig checkpoint;
  LogConfig log;
};

}  // namespace pleiad
