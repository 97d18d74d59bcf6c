#include "pleiad_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

namespace pleiad {
namespace {

std::atomic<int> process_number{0};

void redirect(int to, const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || dup2(fd, to) < 0) _exit(127);
}

[[noreturn]] void become_pleiad(const std::filesystem::path& folder, const std::vector<std::string>& args,
                                const std::filesystem::path& out, const std::filesystem::path& err) {
  redirect(STDOUT_FILENO, out);
  redirect(STDERR_FILENO, err);
  if (chdir(folder.c_str()) != 0) _exit(127);
  setenv("PLEIAD_HOME", (folder / "home").c_str(), 1);
  unsetenv("PLEIAD_RUNS");
  std::vector<char*> words = {const_cast<char*>("pleiad")};
  for (const auto& a : args) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  execv(PLEIAD_PROGRAM, words.data());
  _exit(127);
}

}  // namespace

PleiadProcess::PleiadProcess(const std::filesystem::path& folder, const std::vector<std::string>& args) {
  const int n = process_number++;
  out_ = folder / ("stdout-" + std::to_string(n));
  err_ = folder / ("stderr-" + std::to_string(n));
  pid_ = fork();
  if (pid_ == 0) become_pleiad(folder, args, out_, err_);
}

PleiadProcess::~PleiadProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

void PleiadProcess::signal(int number) const { kill(pid_, number); }

bool PleiadProcess::wait_for(const std::filesystem::path& file) {
  while (!std::filesystem::exists(file)) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_)
      return std::filesystem::exists(file);
    usleep(2000);
  }
  return true;
}

Finished PleiadProcess::finish() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(out_), contents(err_)};
}

Finished run_pleiad(const std::filesystem::path& folder, const std::vector<std::string>& args) {
  return PleiadProcess(folder, args).finish();
}

void write_blobs(const std::filesystem::path& csv) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.6);
  std::ofstream out(csv);
  for (int i = 0; i < 400; ++i) {
    const int label = i % 3;
    for (int f = 0; f < 6; ++f) out << (f % 3 == label ? 1.0 : 0.0) + noise(random) << ',';
    out << label << '\n';
  }
}

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace pleiad
