#include "apps/data/parts.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>

#include "apps/data/array.hpp"
#include "apps/data/bytes.hpp"
#include "apps/data/csv.hpp"
#include "apps/data/idx.hpp"
#include "apps/data/npy.hpp"

namespace pleiad {
namespace {

namespace fs = std::filesystem;

Dataset paired(const RawArray& features, const RawArray& labels) {
  const Index count = features.shape[0];
  if (labels.shape.volume() != count)
    throw_bad_data(features.where,
                   fmt::format("{} samples, but {} labels in {}", count, labels.shape.volume(), labels.where));
  Dataset data;
  data.name = features.where;
  for (std::size_t d = 1; d < features.shape.rank(); ++d) data.sample_shape.push_back(features.shape[d]);
  if (data.sample_shape.empty()) data.sample_shape.push_back(1);
  data.features = to_features(features);
  data.labels = to_labels(labels);
  return data;
}

/// The label column of a [rows, columns] table becomes the labels.
Dataset from_table(const RawArray& table, bool label_first) {
  if (table.shape.rank() != 2 || table.shape[1] < 2)
    throw_bad_data(table.where, fmt::format("is {}; a table with a label column needs two dimensions and two columns",
                                            to_string(table.shape)));
  const auto numbers = to_features(table);
  const auto columns = static_cast<std::size_t>(table.shape[1]), label = label_first ? 0 : columns - 1;
  Dataset data;
  data.name = table.where;
  data.sample_shape = {table.shape[1] - 1};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i % columns != label)
      data.features.push_back(numbers[i]);
    else
      data.labels.push_back(checked_label(table.where, static_cast<double>(numbers[i]), i / columns));
  }
  return data;
}

using Arrays = std::map<std::string, RawArray>;

/// The pair of arrays under one of the usual names; nothing if there is none.
std::optional<Dataset> pair_named(const Arrays& arrays, std::span<const std::array<std::string_view, 2>> names) {
  for (const auto& [x, y] : names) {
    const auto features = arrays.find(std::string(x)), labels = arrays.find(std::string(y));
    if (features != arrays.end() && labels != arrays.end()) return paired(features->second, labels->second);
  }
  return {};
}

DataParts from_arrays(const Arrays& arrays, const fs::path& path) {
  static constexpr auto kTrain = std::to_array<std::array<std::string_view, 2>>({{"x_train", "y_train"},
                                                                                 {"X_train", "y_train"},
                                                                                 {"x", "y"},
                                                                                 {"X", "y"},
                                                                                 {"features", "labels"},
                                                                                 {"images", "labels"},
                                                                                 {"data", "target"}});
  static constexpr auto kVal = std::to_array<std::array<std::string_view, 2>>(
      {{"x_test", "y_test"}, {"X_test", "y_test"}, {"x_val", "y_val"}, {"X_val", "y_val"}});
  auto train = pair_named(arrays, kTrain);
  if (!train)
    throw_bad_data(path.string(),
                   "has no features and labels under a usual name\nx_train and y_train (with x_test and "
                   "y_test), x and y, features and labels, or data and target");
  return {std::move(*train), pair_named(arrays, kVal)};
}

/// The file, or with .gz; nothing if neither exists.
std::optional<fs::path> existing(const fs::path& path) {
  for (const auto& candidate : {path, fs::path(path.string() + ".gz")})
    if (fs::exists(candidate)) return candidate;
  return {};
}

RawArray read_idx(const fs::path& path) { return parse_idx(read_bytes(path), path.string()); }

RawArray read_idx_of_folder(const fs::path& folder, const std::string& name) {
  const auto path = existing(folder / name);
  if (!path) throw_bad_data(folder.string(), fmt::format("{} is missing (plain or .gz)", name));
  return read_idx(*path);
}

std::optional<Dataset> idx_part(const fs::path& folder, const std::string& prefix) {
  const auto images = prefix + "-images-idx3-ubyte", labels = prefix + "-labels-idx1-ubyte";
  if (!existing(folder / images) && !existing(folder / labels)) return {};
  return paired(read_idx_of_folder(folder, images), read_idx_of_folder(folder, labels));
}

DataParts from_folder(const fs::path& folder) {
  if (auto train = idx_part(folder, "train")) return {std::move(*train), idx_part(folder, "t10k")};
  Arrays arrays;
  for (const auto& file : fs::directory_iterator(folder))
    if (file.path().extension() == ".npy")
      arrays.emplace(file.path().stem().string(), parse_npy(read_bytes(file.path()), file.path().string()));
  if (arrays.empty())
    throw_bad_data(folder.string(),
                   "holds neither train-images-idx3-ubyte(.gz) and its three companions nor .npy files");
  return from_arrays(arrays, folder);
}

/// train-images-idx3-ubyte.gz -> train-labels-idx1-ubyte.gz
Dataset from_idx_file(const fs::path& images) {
  auto name = images.filename().string();
  const auto kind = name.find("images"), rank = name.find("idx3");
  if (kind == std::string::npos)
    throw_bad_data(images.string(),
                   "is an IDX file, but which one has its labels?\nname the pair ...images... and ...labels...");
  if (rank != std::string::npos) name.replace(rank, 4, "idx1");
  name.replace(kind, 6, "labels");
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return paired(read_idx(images), read_idx_of_folder(images.parent_path(), name));
}

DataParts from_file(const fs::path& path, bool label_first) {
  const auto start = peek_bytes(path, 8);
  if (is_zip(start)) return from_arrays(read_npz(path), path);
  if (is_npy(start)) return {from_table(parse_npy(read_bytes(path), path.string()), label_first), {}};
  if (is_idx(start)) return {from_idx_file(path), {}};
  return {from_table(parse_csv(read_bytes(path), path.string()), label_first), {}};
}

}  // namespace

DataParts open_parts(const fs::path& path, bool label_first) {
  return fs::is_directory(path) ? from_folder(path) : from_file(path, label_first);
}

}  // namespace pleiad
