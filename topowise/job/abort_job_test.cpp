// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/abort_job.hpp>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

using namespace topowise;
using namespace topowise::job;

namespace {

/// The two ends of the socket between a proxy and its process.
struct Sockets {
  Sockets() { REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0); }
  int ends[2] = {};
};

/// Starts a process that calls abort_job() with `socket` as the socket of its proxy, and then exits with status 7.
pid_t start_aborting(int socket) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  std::signal(SIGPIPE, SIG_DFL);
  ::setenv("PMI_FD", std::to_string(socket).c_str(), 1);
  abort_job(ExitStatus::bad_input);
  ::_exit(7);
}

int wait_status(pid_t child) {
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

/// The arguments that a stand-in for Slurm's scancel gets when a process with these variables calls abort_job().
std::string cancelled(const std::map<std::string, std::string>& variables) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("abort-test-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::filesystem::path program = folder / "scancel";
  std::ofstream(program) << "#!/bin/sh\necho \"$@\" >> '" << (folder / "told").string() << "'\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("PATH", (folder.string() + ":" + std::getenv("PATH")).c_str(), 1);
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    abort_job(ExitStatus::bad_input);
    ::_exit(7);
  }
  CHECK(WEXITSTATUS(wait_status(child)) == 7);
  std::ifstream file(folder / "told");
  std::string told{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove_all(folder);
  return told;
}

}  // namespace

TEST_CASE("abort: a task of srun cancels its step, one of a launcher inside a step does not") {
  std::map<std::string, std::string> task{
      {"SLURM_JOB_ID", "71"}, {"SLURM_STEP_ID", "2"}, {"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}};
  CHECK(cancelled(task) == "71.2\n");
  task["PMI_RANK"] = "0";  // set by srun --mpi=pmi2
  CHECK(cancelled(task) == "71.2\n");
  task["MPI_LOCALRANKID"] = "0";  // set by hydra
  CHECK(cancelled(task).empty());
  task.erase("PMI_RANK");
  task["OMPI_COMM_WORLD_RANK"] = "0";
  CHECK(cancelled(task).empty());
  CHECK(cancelled({}).empty());
}

TEST_CASE("abort: a proxy that has gone already does not take the exit status") {
  const Sockets sockets;
  ::close(sockets.ends[1]);
  const int status = wait_status(start_aborting(sockets.ends[0]));
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
  ::close(sockets.ends[0]);
}

TEST_CASE("abort: the proxy reads one line with the status") {
  const Sockets sockets;
  const pid_t child = start_aborting(sockets.ends[0]);
  ::close(sockets.ends[0]);
  char line[64] = {};
  CHECK(::read(sockets.ends[1], line, sizeof line - 1) > 0);
  CHECK(std::string(line) == "cmd=abort exitcode=3\n");
  ::kill(child, SIGKILL);    // a proxy does the same
  (void)wait_status(child);  // on a slow machine the process has stopped waiting before this
  ::close(sockets.ends[1]);
}
