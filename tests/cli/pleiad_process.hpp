#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace pleiad {

/// A run of the `pleiad` program as a user starts it, in a folder of its own.
struct Finished {
  int code = -1;  // exit code; 128 + signal if it was killed
  std::string out, err;
};

/// A started program; killed when this object dies.
class PleiadProcess {
 public:
  PleiadProcess(const std::filesystem::path& folder, const std::vector<std::string>& args);
  ~PleiadProcess();
  PleiadProcess(const PleiadProcess&) = delete;
  PleiadProcess& operator=(const PleiadProcess&) = delete;

  void signal(int number) const;
  /// Waits until the file exists, or the program has ended; false in that case.
  bool wait_for(const std::filesystem::path& file);
  Finished finish();

 private:
  std::filesystem::path out_, err_;
  pid_t pid_ = -1;
};

/// Starts and waits. PLEIAD_HOME is `folder`/home, so that kernel times are kept between runs in one folder.
Finished run_pleiad(const std::filesystem::path& folder, const std::vector<std::string>& args);

/// A table of 400 samples of 3 classes that a small network learns; one file, label last.
void write_blobs(const std::filesystem::path& csv);

std::string contents(const std::filesystem::path& file);

}  // namespace pleiad
