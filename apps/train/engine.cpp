#include "apps/train/engine.hpp"

namespace pleiad {

Engine::Engine(const Config& config, const WorkerChoice& workers, const Machine& machine,
               const std::string& model_folder)
    : workers_(workers.cores.size()) {
  if (config.schedule.policy == "sequential") {
    workers_ = 1;
    return;
  }
  const GpuOptions gpus{.cuda = workers.cuda,
                        .opencl = workers.opencl,
                        .opencl_cpus = workers.opencl > 0 && opencl_is_on_cpus(),
                        .cores = workers.gpu_cores,
                        .memory_bytes = gpu_memory_bytes(machine, config.memory.gpu)};
  session_.emplace(SessionOptions{.cores = workers.cores,
                                  .policy = config.schedule.policy,
                                  .model_folder = model_folder,
                                  .stall_seconds = config.train.stall.seconds,
                                  .gpus = gpus});
  workers_ = session_->workers().size();
}

std::unique_ptr<Executor> Engine::executor(const Graph& graph, TaskGraph tasks) {
  if (session_) return std::make_unique<StarpuExecutor>(*session_, graph, std::move(tasks));
  return std::make_unique<SequentialExecutor>(graph, std::move(tasks));
}

std::vector<std::string> Engine::worker_names() const {
  if (!session_) return {"cpu0"};
  std::vector<std::string> names;
  for (const WorkerInfo& w : session_->workers()) names.push_back(w.name);
  return names;
}

std::string Engine::policy() const { return session_ ? session_->policy() : "sequential"; }

std::vector<std::string> Engine::overridden() const {
  return session_ ? session_->overridden() : std::vector<std::string>{};
}

void Engine::pause() {
  if (session_) session_->pause();
}

}  // namespace pleiad
