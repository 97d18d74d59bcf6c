#include "apps/doctor/software_checks.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <cstdlib>
#include <filesystem>

#include "apps/config/environment.hpp"
#include "apps/run/file.hpp"
#include "apps/verbs/libraries.hpp"
#include "codelets/blas/gemm.hpp"
#include "codelets/registry.hpp"
#include "runtime/session.hpp"

extern char** environ;

namespace pleiad {
namespace {

namespace fs = std::filesystem;

Finding registry_is_sound() {
  try {
    check_registry();
  } catch (const Error& e) {
    return {"ops", Verdict::fail, e.what(), "a defect of this build: please report it"};
  }
  return {"ops", Verdict::ok, fmt::format("{} declared and checked", all_ops().size()), ""};
}

Finding starpu_is_known() { return {"starpu", Verdict::ok, Session::version(), ""}; }

Finding hwloc_matches() {
  const unsigned built = HWLOC_API_VERSION, here = hwloc_get_api_version();
  const bool alike = (built >> 16) == (here >> 16);
  return {"hwloc", alike ? Verdict::ok : Verdict::fail, fmt::format("API {:#x}, built with {:#x}", here, built),
          alike ? "" : "build Pleiad against the hwloc that is loaded"};
}

Finding libraries_are_known() {
  if (openblas_is_thread_safe()) return {"kernel libraries", Verdict::ok, kernel_libraries(), ""};
  return {"kernel libraries", Verdict::warn,
          kernel_libraries() + ": OpenBLAS is a build for one thread and is left out",
          "sudo apt-get install libopenblas-pthread-dev"};
}

Finding starpu_environment() {
  std::string set;
  for (char** e = environ; *e; ++e)
    if (std::string_view(*e).starts_with("STARPU_")) set += fmt::format("{}{}", set.empty() ? "" : " ", *e);
  if (set.empty()) return {"environment", Verdict::ok, "no STARPU_* set", ""};
  return {"environment", Verdict::warn, fmt::format("{}: wins over what Pleiad would choose", set),
          "unset what you do not mean"};
}

/// Whether files can be made in the folder (or where it would be made), and how much room there is.
Finding folder_is_writable(const std::string& check, const fs::path& folder, const std::string& fix) {
  try {
    make_directories(folder);
    const auto probe = folder / fmt::format(".doctor-{}", getpid());
    write_file_atomically(probe, "x");
    fs::remove(probe);
  } catch (const Error& e) {
    return {check, Verdict::fail, e.what(), fix};
  }
  const double free_gib = static_cast<double>(fs::space(folder).available) / (1024.0 * 1024 * 1024);
  const bool tight = free_gib < 0.2;
  return {check, tight ? Verdict::warn : Verdict::ok,
          fmt::format("{}: writable, {:.1f} GiB free", folder.string(), free_gib),
          tight ? "make room: checkpoints will not fit" : ""};
}

Finding example_data_is_there(const std::vector<fs::path>& path) {
  for (const auto& folder : path)
    if (fs::exists(folder / "fashion-mnist"))
      return {"example data", Verdict::ok, (folder / "fashion-mnist").string(), ""};
  return {"example data", Verdict::warn, "fashion-mnist not found: presets fmnist-* need it",
          "sudo apt-get install dataset-fashion-mnist"};
}

Finding kernel_times_are_sound(const fs::path& home) {
  int files = 0, damaged = 0;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(home / "perf", ignored)) {
    files += entry.path().filename() == "kernels.json";
    damaged += entry.path().extension() == ".damaged";
  }
  return {"kernel times", damaged ? Verdict::warn : Verdict::ok,
          fmt::format("of {} kind{} of hardware{}", files, files == 1 ? "" : "s",
                      damaged ? fmt::format(", {} damaged and set aside", damaged) : ""),
          damaged ? fmt::format("remove *.damaged below {}", (home / "perf").string()) : ""};
}

}  // namespace

std::vector<Finding> examine_software() {
  const auto places = read_environment();
  return {registry_is_sound(),
          starpu_is_known(),
          hwloc_matches(),
          libraries_are_known(),
          starpu_environment(),
          folder_is_writable("home", places.home, "set PLEIAD_HOME to a folder that you may write"),
          folder_is_writable("runs", places.runs, "set PLEIAD_RUNS or --runs to a folder that you may write"),
          example_data_is_there(places.data_path),
          kernel_times_are_sound(places.home)};
}

}  // namespace pleiad
