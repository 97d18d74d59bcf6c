#include "apps/train/engine.hpp"

namespace pleiad {

Engine::Engine(const Config& config, const std::vector<int>& cores, const std::string& model_folder)
    : workers_(cores.size()) {
  if (config.schedule.policy == "sequential") {
    workers_ = 1;
    return;
  }
  session_.emplace(SessionOptions{.cores = cores,
                                  .policy = config.schedule.policy,
                                  .model_folder = model_folder,
                                  .stall_seconds = config.train.stall.seconds});
  workers_ = session_->workers().size();
}

std::unique_ptr<Executor> Engine::executor(const Graph& graph, TaskGraph tasks) {
  if (session_) return std::make_unique<StarpuExecutor>(*session_, graph, std::move(tasks));
  return std::make_unique<SequentialExecutor>(graph, std::move(tasks));
}

std::string Engine::policy() const { return session_ ? session_->policy() : "sequential"; }

std::vector<std::string> Engine::overridden() const {
  return session_ ? session_->overridden() : std::vector<std::string>{};
}

void Engine::pause() {
  if (session_) session_->pause();
}

}  // namespace pleiad
