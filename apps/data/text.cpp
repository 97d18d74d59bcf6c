#include "apps/data/text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>

#include "apps/data/array.hpp"
#include "apps/data/bytes.hpp"
#include "apps/data/find.hpp"

namespace pleiad {
namespace {

namespace fs = std::filesystem;

constexpr Index kBytes = 256;

/// What the program prints for the whole book.
std::string print_bible(const fs::path& program) {
  const auto command = fmt::format("'{}' -f gen1:1-rev22:21 </dev/null", program.string());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 1 << 16> part;
  while (pipe)
    if (const auto n = std::fread(part.data(), 1, part.size(), pipe.get()); n > 0)
      text.append(part.data(), n);
    else
      break;
  if (text.empty()) throw_bad_data(program.string(), "printed nothing\nsudo apt-get install --reinstall bible-kjv");
  return text;
}

std::string read_text(const std::string& name, std::span<const fs::path> data_path) {
  const auto path = find_data(name, data_path);
  if (name == "kjv-bible") return print_bible(path);
  if (fs::is_directory(path)) throw_bad_data(path.string(), "is a folder; a text is one file");
  const auto bytes = read_bytes(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Dataset windows(std::string name, std::string_view text, Index context) {
  if (static_cast<Index>(text.size()) <= context)
    throw_bad_data(name, fmt::format("{} bytes are too few for one sample of {} tokens and the one after it\n"
                                     "a smaller --model.context, another --data.holdout, or more text",
                                     text.size(), context));
  Dataset data{.name = std::move(name), .sample_shape = {context}, .classes = kBytes};
  data.tokens.reserve(text.size());
  for (const char c : text) data.tokens.push_back(static_cast<unsigned char>(c));
  return data;
}

}  // namespace

DataSplit load_text(const std::string& name, std::span<const fs::path> data_path, Index context, double holdout) {
  const auto text = read_text(name, data_path);
  const auto first = static_cast<std::size_t>(std::llround(static_cast<double>(text.size()) * (1 - holdout)));
  const std::string_view all = text;
  return {windows(name, all.substr(0, first), context), windows(name, all.substr(first), context)};
}

DataSplit load_text(const std::string& name, const std::string& val_name, std::span<const fs::path> data_path,
                    Index context) {
  return {windows(name, read_text(name, data_path), context),
          windows(val_name, read_text(val_name, data_path), context)};
}

}  // namespace pleiad
