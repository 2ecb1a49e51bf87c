// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/text_table.hpp>

#include <doctest/doctest.h>

using topowise::Table;

TEST_CASE("columns are as wide as needed, empty ones vanish, no blanks at line ends") {
  Table table({{"id", Table::Align::right}, {"name"}, {"nothing"}, {"rate", Table::Align::right}});
  table.add({"1", "µs", "", "10"});
  table.add({"234", "longer"});
  CHECK(table.text() == "   id  name    rate\n    1  µs        10\n  234  longer\n");
}

TEST_CASE("wide letters take two columns, joining accents none, broken bytes one") {
  CHECK(topowise::display_width("K\u00f6ln \u673a\u5668") == 9);
  CHECK(topowise::display_width("e\u0301") == 1);
  CHECK(topowise::display_width("a\xff") == 2);
}

TEST_CASE("where a line would be too long, the widest column is broken at blanks") {
  Table table({{"name"}, {"what it is"}, {"n", Table::Align::right}});
  table.add({"alpha", "one two three four five six seven", "1"});
  table.add({"b", "eight", "22"});
  CHECK(table.text("", "", 32) ==
        "  name   what it is            n\n"
        "  alpha  one two three four    1\n"
        "         five six seven\n"
        "  b      eight                22\n");
  CHECK(table.text() == table.text("", "", 100));
}
