#include "apps/train/saving.hpp"

#include "apps/train/tensors.hpp"

namespace pleiad {
namespace {

/// Named tensors that own their data.
struct Tensors {
  std::vector<std::vector<std::byte>> data;
  std::vector<NamedTensor> named;
};

Tensors collect(const Model& model, const Executor& executor, Kind kind) {
  Tensors all;
  for (Sym s : model.tensors_of(kind)) all.data.push_back(read_tensor(executor, model.graph(), s));
  std::size_t i = 0;
  for (Sym s : model.tensors_of(kind)) {
    const Tensor& t = model.graph()[s];
    all.named.push_back({t.name, t.dtype, t.shape, all.data[i++]});
  }
  return all;
}

void write_all(const TensorFile& file, const Model& model, Executor& executor, Kind kind) {
  for (Sym s : model.tensors_of(kind)) {
    const Tensor& t = model.graph()[s];
    executor.write(s, file.at(t.name, t.dtype, t.shape).data);
  }
}

void clear_state(const Model& model, Executor& executor) {
  for (Sym s : model.tensors_of(Kind::state)) {
    const Tensor& t = model.graph()[s];
    executor.write(s, std::vector<std::byte>(static_cast<std::size_t>(t.shape.volume()) * size_of(t.dtype)));
  }
}

TensorFile file_to_start_from(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) ? load_checkpoint(path).model : read_safetensors(path);
}

}  // namespace

void initialise(const Config& config, const Model& model, Executor& executor) {
  clear_state(model, executor);
  if (config.model.init != "random")
    return write_all(file_to_start_from(config.model.init), model, executor, Kind::param);
  const auto seed = static_cast<std::uint64_t>(config.run.seed);
  for (const nn::Init& init : model.builder.inits)
    executor.write(init.param, nn::initial_values(model.graph(), init, seed));
}

void restore(const LoadedCheckpoint& checkpoint, const Model& model, Executor& executor) {
  write_all(checkpoint.model, model, executor, Kind::param);
  write_all(checkpoint.optimizer, model, executor, Kind::state);
}

std::filesystem::path save(const std::filesystem::path& folder, const ModelCard& card, const TrainingState& state,
                           const Model& model, const Executor& executor, Retention retention) {
  const Tensors parameters = collect(model, executor, Kind::param);
  const Tensors optimizer = collect(model, executor, Kind::state);
  return write_checkpoint(folder, card, state, parameters.named, optimizer.named, retention);
}

}  // namespace pleiad
