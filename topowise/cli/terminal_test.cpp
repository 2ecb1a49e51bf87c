// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/terminal.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace topowise;

TEST_CASE("a text that is given away is printed without a copy") {
  std::string text(100, 'x');
  const char* where = text.data();
  cli::Terminal terminal;
  terminal.print(std::move(text));
  CHECK(terminal.result().data() == where);
  terminal.print(std::string("y"));
  terminal.print("z{}", 1);
  CHECK(terminal.result() == std::string(100, 'x') + "yz1");
}
