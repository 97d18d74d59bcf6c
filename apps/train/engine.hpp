#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/config/config.hpp"
#include "apps/train/machine.hpp"
#include "graph/executor.hpp"
#include "runtime/session.hpp"
#include "runtime/starpu_executor.hpp"

namespace pleiad {

/// What runs task graphs: StarPU, or with schedule.policy = "sequential" the calling thread alone. Executors die before
/// it does.
class Engine {
 public:
  Engine(const Config&, const WorkerChoice&, const Machine&, const std::string& model_folder);

  std::unique_ptr<Executor> executor(const Graph&, TaskGraph);
  /// Null without StarPU.
  Session* session() { return session_ ? &*session_ : nullptr; }
  std::string policy() const;
  std::size_t workers() const { return workers_; }
  /// "cpu0", ..., in the order of reports.
  std::vector<std::string> worker_names() const;
  /// STARPU_* variables of the user that win over the config; empty without StarPU.
  std::vector<std::string> overridden() const;
  /// Lets idle workers sleep until the next step.
  void pause();

 private:
  std::optional<Session> session_;
  std::size_t workers_;
};

}  // namespace pleiad
