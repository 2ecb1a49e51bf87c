// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/print_stderr.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string_view>

#include <tests/fixtures/file_size_limit.hpp>
#include <topowise/base/descriptor.hpp>

using namespace topowise;
using namespace topowise::interpose;

namespace {

/// Redirects standard error to another file for the lifetime of the object.
class StandardError {
 public:
  explicit StandardError(int descriptor) : before_(::dup(STDERR_FILENO)) { ::dup2(descriptor, STDERR_FILENO); }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;
  ~StandardError() { ::dup2(before_.number(), STDERR_FILENO); }

 private:
  Descriptor before_;
};

/// The writing end of a pipe that nobody reads.
Descriptor broken_pipe() {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  return Descriptor(ends[1]);
}

void print_into(const Descriptor& file, const char* text = "nobody hears this") {
  const StandardError there(file.number());
  print_stderr(3, "%s", text);
}

bool is_pending(int signal) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, signal) == 1;
}

bool is_blocked(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

}  // namespace

// Without precautions, a signal would end this test program in each of the first two cases.

TEST_CASE("a message to a pipe that nobody reads raises no signal") {
  static_cast<void>(std::signal(SIGPIPE, SIG_DFL));
  print_into(broken_pipe());
  CHECK_FALSE(is_pending(SIGPIPE));
  CHECK_FALSE(is_blocked(SIGPIPE));
}

TEST_CASE("a message beyond the limit of a file's size raises no signal") {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  {
    const Descriptor end(::dup(::fileno(file)));
    const FileSizeLimit limit(0);
    print_into(end);
  }
  std::fclose(file);
  CHECK_FALSE(is_pending(SIGXFSZ));
  CHECK_FALSE(is_blocked(SIGXFSZ));
}

TEST_CASE("a signal that the program itself holds back stays pending") {
  sigset_t pipe;
  sigset_t before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  REQUIRE(pthread_sigmask(SIG_BLOCK, &pipe, &before) == 0);
  print_into(broken_pipe());
  CHECK_FALSE(is_pending(SIGPIPE));
  REQUIRE(raise(SIGPIPE) == 0);
  print_into(broken_pipe());
  CHECK(is_pending(SIGPIPE));
  CHECK(is_blocked(SIGPIPE));
  const timespec at_once{};
  CHECK(sigtimedwait(&pipe, nullptr, &at_once) == SIGPIPE);
  CHECK(pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
}

TEST_CASE("a message is one line, whatever names it has") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const Descriptor reader(ends[0]);
  print_into(Descriptor(ends[1]), "two\nlines \x1b[4m K\xc3\xb6ln");
  char told[100];
  const ssize_t length = ::read(reader.number(), told, sizeof(told));
  REQUIRE(length > 0);
  CHECK(std::string_view(told, static_cast<std::size_t>(length)) == "topowise: rank 3: two?lines ?[4m K\xc3\xb6ln\n");
}
