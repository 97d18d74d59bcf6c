#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "codelets/op.hpp"

namespace pleiad {

class GpuDevice;

/// What one worker can do, measured: the roofline (Williams, Waterman, Patterson 2009).
struct Worker {
  std::string name;   // "cpu0", "cuda0", "opencl0"
  std::string model;  // of a GPU: "NVIDIA H200"
  Device device = Device::cpu;
  int memory = 0;          // memory node it computes from
  double flops = 0;        // flop/s of a large matrix product in fp32, one thread, while all workers are busy
  double bandwidth = 0;    // B/s read and written by a copy that does not fit the caches, while all workers copy
  double overhead_us = 0;  // runtime cost of one task on it; 0: not measured
};

struct Memory {
  std::string name;             // "ram", "cuda0"
  std::size_t bytes = 0;        // installed
  std::size_t limit_bytes = 0;  // what this process may take of it (cgroup, rlimit); 0: all

  std::size_t usable_bytes() const { return limit_bytes != 0 && limit_bytes < bytes ? limit_bytes : bytes; }
};

/// A machine as planning sees it; measured here or written by hand.
struct Machine {
  std::string host, cpu_model;
  int cores = 0, numa_nodes = 1;  // that this process may use
  std::vector<Memory> memories;
  std::vector<Worker> workers;
  std::string hardware_key;  // same key: same speeds, models may be shared; fit to name a folder
};

/// Cores, NUMA nodes and memory that this process may use (its cpuset is law), by hwloc, with `cpu_workers` CPU
/// workers; < 0: one a core. Throws Error (Exit::hardware) if there are fewer cores. Rates are 0 until measured.
Machine describe_machine(int cpu_workers);
/// Adds a worker and a memory for each of the first so many CUDA and OpenCL devices. Throws Error (Exit::hardware) if
/// there are fewer.
void add_gpus(Machine&, int cuda, int opencl);
/// Whether the OpenCL devices of this machine are CPUs: their workers have no core of their own.
bool opencl_is_on_cpus();
/// Measures a core's matrix-product rate and copy bandwidth while all workers' cores are busy, in about 0.2 s, and
/// gives them to all CPU workers.
void measure_rates(Machine&);
/// The same for GPU workers, by our own kernels.
void measure_gpu_rates(Machine&);

/// The first CPU worker: all are alike. Throws Error (Exit::hardware) if there is none.
const Worker& cpu_worker(const Machine&);
/// The first GPU worker, null if there is none: unlike ones are planned for as if they were like it.
const Worker* gpu_worker(const Machine&);

/// The device of a GPU worker of this machine, opened at first use and for as long as the process lives. Throws Error
/// (Exit::hardware) if it is not here.
GpuDevice& gpu_of(const Worker&);

/// Logical CPU numbers (OS indices) that the process may run on, one per physical core, nearest first.
std::vector<int> usable_cores();

/// JSON with every field by name; parse throws Error (Exit::data) naming the field. Only memories (name, bytes) and
/// workers (name) must be given.
std::string to_json(const Machine&);
Machine machine_from_json(std::string_view text);

/// Roofline: latency + max(flops / F, bytes / B), in microseconds, without the runtime's overhead. Throws Error
/// (Exit::internal) for a worker whose rates are not measured.
double roofline_us(const Worker&, const Cost&);

}  // namespace pleiad
