#include "runtime/session.hpp"

#include <starpu.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>

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

void set_environment(ScopedEnvironment& e, const std::string& model_folder) {
  e.set("STARPU_SILENT", "1");                 // no banner, no advice; errors are still printed
  e.set("STARPU_MINIMUM_CLEAN_BUFFERS", "0");  // do not write back what nobody asked for
  e.set("STARPU_TARGET_CLEAN_BUFFERS", "0");
  e.set("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION", "0");  // it aborts on more than 100 kinds of task
  if (model_folder.empty()) return;
  create_folder(model_folder);
  e.set("STARPU_PERF_MODEL_DIR", std::filesystem::absolute(model_folder).string());
}

starpu_conf configuration(const std::string& policy, const std::vector<int>& cores, const Cores& numbers) {
  starpu_conf conf;
  check(starpu_conf_init(&conf), "starpu_conf_init");
  conf.sched_policy_name = policy.c_str();
  conf.catch_signals = 0;
  conf.ncuda = conf.nhip = conf.nopencl = 0;
  conf.ncpus = static_cast<int>(cores.size());
  conf.use_explicit_workers_bindid = 1;
  for (std::size_t i = 0; i < STARPU_NMAXWORKERS; ++i)
    conf.workers_bindid[i] = numbers.starpu_number(cores[i % cores.size()]);
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
    workers.push_back({kind + std::to_string(starpu_worker_get_devid(w)), kind, core});
  }
  return workers;
}

}  // namespace

Session::Session(const SessionOptions& options) : state_(std::make_unique<State>()) {
  OnlyOne only_one;
  State& s = *state_;
  s.stall_seconds = options.stall_seconds;
  s.overridden = ScopedEnvironment::starting_with("STARPU_");
  const char* users_policy = std::getenv("STARPU_SCHED");
  s.policy = policy_for(users_policy != nullptr ? users_policy : options.policy,
                        !user_asks_for("STARPU_NCUDA") && !user_asks_for("STARPU_NOPENCL"));
  const Cores numbers;
  const std::vector<int> cores = options.cores.empty() ? usable_cores() : options.cores;
  set_environment(s.environment, options.model_folder);
  starpu_conf conf = configuration(s.policy, cores, numbers);
  check(starpu_init(&conf), "starpu_init");
  only_one.started = true;
  s.workers = describe_workers(numbers);
}

Session::~Session() {
  if (state_->stalled) {
    static_cast<void>(state_.release());
    return;
  }
  resume();
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

double Session::State::take_moved_bytes() {
  double bytes = 0;
  for (int bus = 0; bus < starpu_bus_get_count(); ++bus) {
    starpu_profiling_bus_info info{};
    check(starpu_bus_get_profiling_info(bus, &info), "starpu_bus_get_profiling_info");
    bytes += static_cast<double>(info.transferred_bytes);
  }
  return bytes;
}

}  // namespace pleiad
