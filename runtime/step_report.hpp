#pragma once
#include <cstddef>
#include <vector>

#include "graph/task_graph.hpp"
#include "runtime/starpu_executor.hpp"

namespace pleiad {

std::vector<int> tasks_done(const std::vector<TaskRecord>&, std::size_t workers);
/// Microseconds each worker spent inside kernels.
std::vector<double> busy_us(const std::vector<TaskRecord>&, std::size_t workers);

/// Microseconds each worker lost to the runtime between `begin_us` and `end_us`: it was in no kernel although a task
/// was ready (all tasks it depends on had ended) and had not started. With fewer such tasks than idle workers, each
/// idle worker is charged the same part of the time. What remains of the step was lack of ready work. After the last
/// kernel all workers are charged: only the runtime is left. A task counts as ready from the beginning of the step, or
/// from the end of its last predecessor, so late submission is charged too.
std::vector<double> overhead_us(const std::vector<TaskRecord>&, const Edges&, double begin_us, double end_us,
                                std::size_t workers);

}  // namespace pleiad
