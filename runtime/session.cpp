#include "runtime/session.hpp"

#include <starpu.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <mutex>

#include "codelets/gpu/device.hpp"
#include "perfmodels/machine.hpp"
#include "runtime/check.hpp"
#include "runtime/cores.hpp"
#include "runtime/policy.hpp"
#include "runtime/session_state.hpp"

namespace pleiad {
namespace {

std::atomic<bool> session_exists = false;

struct OnlyOne {
  OnlyOne() {
    if (session_exists.exchange(true)) throw Error(Exit::internal, "a second StarPU session in one process");
  }
  ~OnlyOne() {
    if (!started) session_exists = false;
  }
  bool started = false;
};

bool user_asks_for(const char* count) {
  const char* value = std::getenv(count);
  return value != nullptr && std::atoi(value) > 0;
}

void create_folder(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    throw Error(Exit::data, "cannot create the folder of performance models " + folder + ": " + failure.message() +
                                "\nset PLEIAD_HOME to a folder that can be written");
}

void set_gpu_environment(ScopedEnvironment& e, const GpuOptions& gpus) {
  if (gpus.opencl_cpus) e.set("STARPU_OPENCL_ONLY_ON_CPUS", "1");
  if (gpus.memory_bytes == 0) return;
  const std::string megabytes = std::to_string(std::max<std::size_t>(1, gpus.memory_bytes >> 20));
  e.set("STARPU_LIMIT_CUDA_MEM", megabytes);
  e.set("STARPU_LIMIT_OPENCL_MEM", megabytes);
}

void set_environment(ScopedEnvironment& e, const std::string& model_folder) {
  e.set("STARPU_SILENT", "1");                 // no banner, no advice; errors are still printed
  e.set("STARPU_MINIMUM_CLEAN_BUFFERS", "0");  // do not write back what nobody asked for
  e.set("STARPU_TARGET_CLEAN_BUFFERS", "0");
  e.set("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION", "0");  // it aborts on more than 100 kinds of task
  if (model_folder.empty()) return;
  create_folder(model_folder);
  e.set("STARPU_PERF_MODEL_DIR", std::filesystem::absolute(model_folder).string());
}

/// StarPU binds the GPU workers first.
std::vector<int> cores_of_workers(const std::vector<int>& cpu_cores, const GpuOptions& gpus) {
  const std::vector<int>& from = gpus.cores.empty() ? cpu_cores : gpus.cores;
  std::vector<int> cores;
  for (int i = 0; i < gpus.cuda + gpus.opencl; ++i) cores.push_back(from[static_cast<std::size_t>(i) % from.size()]);
  cores.insert(cores.end(), cpu_cores.begin(), cpu_cores.end());
  return cores;
}

starpu_conf configuration(const std::string& policy, const std::vector<int>& cores, const GpuOptions& gpus,
                          const Cores& numbers) {
  starpu_conf conf;
  check(starpu_conf_init(&conf), "starpu_conf_init");
  conf.sched_policy_name = policy.c_str();
  conf.catch_signals = 0;
  conf.nhip = 0;
  conf.ncuda = gpus.cuda;
  conf.nopencl = gpus.opencl;
  conf.ncpus = static_cast<int>(cores.size());
  conf.use_explicit_workers_bindid = 1;
  const std::vector<int> bound = cores_of_workers(cores, gpus);
  for (std::size_t i = 0; i < STARPU_NMAXWORKERS; ++i)
    conf.workers_bindid[i] = numbers.starpu_number(bound[i % bound.size()]);
  return conf;
}

std::string kind_of(int worker) {
  switch (starpu_worker_get_type(worker)) {
    case STARPU_CPU_WORKER:
      return "cpu";
    case STARPU_CUDA_WORKER:
      return "cuda";
    case STARPU_OPENCL_WORKER:
      return "opencl";
    default:
      return "device";
  }
}

std::vector<WorkerInfo> describe_workers(const Cores& numbers) {
  std::vector<WorkerInfo> workers;
  for (int w = 0; w < static_cast<int>(starpu_worker_get_count()); ++w) {
    const std::string kind = kind_of(w);
    const int core = kind == "cpu" ? numbers.os_number(static_cast<unsigned>(starpu_worker_get_bindid(w))) : -1;
    const int memory = static_cast<int>(starpu_worker_get_memory_node(static_cast<unsigned>(w)));
    workers.push_back({kind + std::to_string(starpu_worker_get_devid(w)), kind, kind == "cpu" ? 0 : memory, core});
  }
  return workers;
}

/// On the thread of a GPU worker.
std::unique_ptr<GpuQueue> make_queue() {
#ifdef STARPU_USE_CUDA
  if (starpu_worker_get_type(starpu_worker_get_id()) == STARPU_CUDA_WORKER)
    return cuda_queue(starpu_cuda_get_local_stream());
#endif
#ifdef STARPU_USE_OPENCL
  cl_command_queue queue = nullptr;
  starpu_opencl_get_current_queue(&queue);
  return opencl_queue(queue);
#else
  throw Error(Exit::internal, "a GPU worker of a StarPU without GPUs");
#endif
}

std::vector<std::unique_ptr<GpuQueue>> make_queues(std::size_t workers) {
  struct Made {
    std::vector<std::unique_ptr<GpuQueue>> queues;
    std::mutex mutex;
    std::exception_ptr failure;
  } made;
  made.queues.resize(workers);
  const auto make = [](void* result) {
    Made& m = *static_cast<Made*>(result);
    const std::lock_guard lock(m.mutex);
    try {
      m.queues[static_cast<std::size_t>(starpu_worker_get_id())] = make_queue();
    } catch (...) {
      m.failure = std::current_exception();
    }
  };
  if (starpu_cuda_worker_get_count() + starpu_opencl_worker_get_count() > 0)
    starpu_execute_on_each_worker(make, &made, STARPU_CUDA | STARPU_OPENCL);
  if (made.failure) std::rethrow_exception(made.failure);
  return std::move(made.queues);
}

void check_gpus(const std::vector<WorkerInfo>& workers, const GpuOptions& gpus) {
  for (const auto& [kind, wanted] : {std::pair{"cuda", gpus.cuda}, {"opencl", gpus.opencl}}) {
    const auto found = std::ranges::count(workers, kind, &WorkerInfo::kind);
    if (found < wanted)
      throw Error(Exit::hardware, std::to_string(wanted) + " " + kind + " devices asked for, StarPU found " +
                                      std::to_string(found) + "\n`pleiad machine` lists the devices there are");
  }
}

}  // namespace

Session::Session(const SessionOptions& options) : state_(std::make_unique<State>()) {
  OnlyOne only_one;
  State& s = *state_;
  s.stall_seconds = options.stall_seconds;
  s.overridden = ScopedEnvironment::starting_with("STARPU_");
  const char* users_policy = std::getenv("STARPU_SCHED");
  const GpuOptions& gpus = options.gpus;
  s.gpu_memory_bytes = gpus.memory_bytes;
  const bool only_cpus =
      gpus.cuda + gpus.opencl == 0 && !user_asks_for("STARPU_NCUDA") && !user_asks_for("STARPU_NOPENCL");
  s.policy = policy_for(users_policy != nullptr ? users_policy : options.policy, only_cpus);
  const Cores numbers;
  const std::vector<int> cores = options.cores.empty() ? usable_cores() : options.cores;
  set_environment(s.environment, options.model_folder);
  set_gpu_environment(s.environment, gpus);
  starpu_conf conf = configuration(s.policy, cores, gpus, numbers);
  check(starpu_init(&conf), "starpu_init");
  only_one.started = true;
  try {
    s.workers = describe_workers(numbers);
    s.queues = make_queues(s.workers.size());
    check_gpus(s.workers, gpus);
  } catch (...) {
    s.shut_down();
    throw;
  }
}

Session::~Session() {
  if (state_->stalled) {
    static_cast<void>(state_.release());
    return;
  }
  resume();
  state_->shut_down();
}

void Session::State::shut_down() {
  queues.clear();
  starpu_shutdown();
  session_exists = false;
}

const std::vector<WorkerInfo>& Session::workers() const { return state_->workers; }
const std::string& Session::policy() const { return state_->policy; }
const std::vector<std::string>& Session::overridden() const { return state_->overridden; }

std::string Session::version() {
  int major = 0, minor = 0, release = 0;
  starpu_get_version(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

void Session::pause() {
  if (!std::exchange(state_->paused, true)) starpu_pause();
}

void Session::resume() {
  if (std::exchange(state_->paused, false)) starpu_resume();
}

Session::State::Traffic Session::State::take_traffic() const {
  Traffic traffic{std::vector<double>(workers.size()), std::vector<double>(workers.size())};
  for (int bus = 0; bus < starpu_bus_get_count(); ++bus) {
    starpu_profiling_bus_info info{};
    check(starpu_bus_get_profiling_info(bus, &info), "starpu_bus_get_profiling_info");
    const auto bytes = static_cast<double>(info.transferred_bytes);
    traffic.total += bytes;
    for (std::size_t w = 0; w < workers.size(); ++w) {
      if (workers[w].memory == 0) continue;
      if (starpu_bus_get_dst(bus) == workers[w].memory) traffic.in[w] += bytes;
      if (starpu_bus_get_src(bus) == workers[w].memory) traffic.out[w] += bytes;
    }
  }
  return traffic;
}

}  // namespace pleiad
