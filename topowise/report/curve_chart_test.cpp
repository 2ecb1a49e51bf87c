// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/curve_chart.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <set>

#include <tests/fixtures/occurrences.hpp>

using namespace topowise;
using namespace topowise::fixtures;

TEST_CASE("sizes in the largest binary unit that divides them") {
  CHECK(size_label(4) == "4 B");
  CHECK(size_label(1000) == "1000 B");
  CHECK(size_label(1024) == "1 KiB");
  CHECK(size_label(16.0 * 1024 * 1024) == "16 MiB");
  CHECK(size_label(1536 * 1024.0) == "1536 KiB");
}

TEST_CASE("a figure has every chart, every curve, every point, and is a file of its own") {
  const CurveChart chart{
      "weighted", "message",
      true,       "improvement, %",
      false,      {{"distance", {{4, 1, 1, 1}, {1024, -3, -4, -2}, {4096, 50, 50, 50}}}, {"a <b>", {{4, 2, 2, 2}}}}};
  const std::vector<CurveChart> charts(3, chart);
  const std::string figure = curve_figure("Title & more", "a note", charts);
  CHECK(figure.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"Title &amp; more\""));
  CHECK(count(figure, "prefers-color-scheme: dark") == 1);
  CHECK(count(figure, ">weighted</text>") == 3);
  CHECK(count(figure, "distance, 1 KiB: -3") == 3);
  CHECK(count(figure, "a &lt;b&gt;</text>") == 3);
  CHECK(count(figure, "nan") == 0);
}

TEST_CASE("what has a colour of its own has a mark of its own") {
  CurveChart chart{"t", "x", false, "y", false, {}};
  constexpr std::size_t kCurves = 6;
  for (std::size_t i = 0; i < kCurves; ++i) chart.curves.push_back({"c", {{8, 5, 5, 5}}});  // all at one point
  const std::string figure = curve_figure("t", "", std::vector{chart});
  std::set<std::string> forms;
  for (std::size_t i = 0; i < kCurves; ++i) {
    const std::size_t from = figure.find(" d=\"", figure.find("<path class=\"c" + std::to_string(i) + " mark\""));
    forms.insert(figure.substr(from, figure.find("stroke-width", from) - from));
  }
  CHECK(forms.size() == kCurves);
}

TEST_CASE("a long note has as many lines as it takes, and the figure room for them") {
  const std::vector<CurveChart> charts{{"t", "x", false, "y", false, {{"c", {{8, 5, 5, 5}}}}}};
  std::string note = "command";
  while (note.size() < 200) note += " --option value";
  const std::string short_one = curve_figure("t", "command", charts);
  const std::string long_one = curve_figure("t", note, charts);
  CHECK(long_one.find(note) == std::string::npos);
  CHECK(count(long_one, "--option") == count(note, "--option"));
  CHECK(count(long_one, "class=\"small\"") - count(short_one, "class=\"small\"") ==
        2);  // 490 wide: 76 letters per line
  const auto height_of = [](const std::string& figure) {
    return std::stoi(figure.substr(figure.find("height=\"") + 8));
  };
  CHECK(height_of(long_one) == height_of(short_one) + 30);
}

TEST_CASE("a chart without points, with one, or with numbers that are none has axes all the same") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<CurvePoint>& points :
       {std::vector<CurvePoint>{}, {{8, 0, 0, 0}}, {{8, none, none, none}}, {{0, 5, 5, 5}}, {{8, 1e9, 1e9, 1e9}}}) {
    for (const bool logarithmic : {false, true}) {
      const std::vector<CurveChart> charts{{"t", "x", false, "y", logarithmic, {{"c", points}}}};
      const std::string figure = curve_figure("t", "", charts);
      CHECK(figure.find("nan") == std::string::npos);
      CHECK(figure.find("inf") == std::string::npos);
      CHECK(figure.find("class=\"axis\"") != std::string::npos);
    }
  }
}

TEST_CASE("a linear axis takes any number; bars, points and long lines") {
  const CurveChart chart{"errors",
                         "error, %",
                         false,
                         "transfers",
                         false,
                         {{"bars", {{-10, 3, 3, 3}, {-5, 0, 0, 0}, {0, 20, 20, 20}}, CurveForm::bars},
                          {"points", {{-10, 1, 1, 1}, {0, 2, 2, 2}}, CurveForm::points},
                          {"line", {{-10, 1, 1, 1}, {0, 2, 2, 2}}, CurveForm::line}},
                         true};
  const std::string figure = curve_figure("t", "", std::vector{chart});
  CHECK(count(figure, "class=\"b0\"") == 4);  // three bars and the legend
  CHECK(count(figure, "bars, -10: 3") == 1);
  CHECK(count(figure, "class=\"c1\"") == 0);       // points have no line
  CHECK(count(figure, "class=\"c1 mark\"") == 3);  // two points and the legend
  CHECK(count(figure, "class=\"c2\"") == 2);
  CHECK(count(figure, "class=\"c2 mark\"") == 0);
  CHECK(count(figure, ">-10</text>") == 1);
  CHECK(figure.find("nan") == std::string::npos);
}

TEST_CASE("one bar, and bars on an axis by factors") {
  for (const bool linear : {true, false}) {
    const CurveChart chart{"t", "x", false, "y", false, {{"b", {{0.3, 5, 5, 5}}, CurveForm::bars}}, linear};
    const std::string figure = curve_figure("t", "", std::vector{chart});
    CHECK(figure.find("nan") == std::string::npos);
    CHECK(figure.find("inf") == std::string::npos);
    CHECK(count(figure, "b, 0.3: 5") == 1);
  }
}
