// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/terminal.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <topowise/base/file.hpp>
#include <topowise/base/text.hpp>

using namespace topowise;

TEST_CASE("a text that is given away is printed without a copy") {
  std::string text(100, 'x');
  const void* where = text.data();
  cli::Terminal terminal;
  terminal.print(std::move(text));
  const bool is_same = terminal.result().data() == where;
  CHECK(is_same);
  terminal.print(std::string("y"));
  terminal.print("z{}", 1);
  CHECK(terminal.result() == std::string(100, 'x') + "yz1");
}

TEST_CASE("a large result is written block by block, all of it, without control characters") {
  std::string path = "/tmp/topowise-terminal-XXXXXX";
  const int file = ::mkstemp(path.data());
  REQUIRE(file >= 0);
  std::fflush(stdout);
  const int before = ::dup(STDOUT_FILENO);
  REQUIRE(::dup2(file, STDOUT_FILENO) == STDOUT_FILENO);
  std::string text;
  while (text.size() < (std::size_t{3} << 20)) text += "a line\x07 of " + std::to_string(text.size()) + "\n";
  text.append(std::size_t{2} << 20, 'x');  // the last line has no end
  cli::Terminal terminal;
  terminal.print(text);
  terminal.flush();
  ::dup2(before, STDOUT_FILENO);
  ::close(before);
  ::close(file);
  text = printable_lines(text);
  const bool all = read_file(path) == text;  // CHECK would print the whole text
  CHECK(all);
  ::unlink(path.c_str());
}
