// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/markup.hpp>

#include <doctest/doctest.h>

#include <topowise/report/page.hpp>

using namespace topowise;

TEST_CASE("names from a machine's description cannot become markup") {
  CHECK(escaped("<script>\"a\" & 'b'\x1b[4m") == "&lt;script&gt;&quot;a&quot; &amp; 'b'\\u{1b}[4m");
  Svg svg(10, 20, "a \"b\"");
  svg.text(1, 2, "<x>");
  svg.rect(1, 2, 3, 4, "place", 0.5, "a & b");
  const std::string drawing = std::move(svg).finish();
  CHECK(drawing.find("aria-label=\"a &quot;b&quot;\"") != std::string::npos);
  CHECK(drawing.find(">&lt;x&gt;</text>") != std::string::npos);
  CHECK(drawing.find("fill-opacity=\"0.5\"><title>a &amp; b</title></rect>") != std::string::npos);
}

TEST_CASE("a page: headings, numbers to the right, nothing from elsewhere") {
  Page page("a < b");
  page.heading("x & y");
  page.table({{"link", "bytes"}, {"0000:c1:00.0", "12 MB"}, {"GPU1", "-3 B"}}, "links & bytes");
  const std::string text = std::move(page).finish();
  CHECK(text.find("<title>a &lt; b</title>") != std::string::npos);
  CHECK(text.find("<h2>x &amp; y</h2>") != std::string::npos);
  CHECK(text.find("<caption>links &amp; bytes</caption>\n<thead>\n<tr><th scope=\"col\">link</th><th scope=\"col\" "
                  "class=\"number\">bytes</th>") != std::string::npos);
  CHECK(text.find("<td>GPU1</td><td class=\"number\">-3 B</td>") != std::string::npos);
  CHECK(text.find("http") == std::string::npos);
  CHECK(text.ends_with("</html>\n"));
}
