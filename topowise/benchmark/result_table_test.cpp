// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/result_table.hpp>

#include <doctest/doctest.h>

using namespace topowise::benchmark;

namespace {

ResultTable example() {
  ResultTable table{.name = "example", .title = "An example"};
  table.facts = {{"machine", std::string("a \"big\" one")}, {"ranks", std::int64_t{4}}};
  table.columns = {"pattern", "bytes", "time_s", "right"};
  table.rows = {{std::string("torus, 2d"), std::int64_t{4}, 1.5e-06, true},
                {std::string("say \"so\"\nhere"), std::int64_t{8}, std::monostate{}, false}};
  table.notes = {"a note"};
  return table;
}

}  // namespace

TEST_CASE("comma-separated values: a field with a comma, a quotation mark or a line end is quoted") {
  CHECK(to_csv(example()) ==
        "pattern,bytes,time_s,right\n"
        "\"torus, 2d\",4,1.5e-06,true\n"
        "\"say \"\"so\"\"\nhere\",8,,false\n");
}

TEST_CASE("JSON: facts of the table beside the rows, what is not known is null") {
  const std::string text = to_json(example(), "topowise bench example", "2026-01-02 03:04 UTC");
  for (const char* part : {R"("schema": "topowise.bench-example/1")", R"("command": "topowise bench example")",
                           R"("machine": "a \"big\" one")", R"("ranks": 4)", R"("bytes": 8, "time_s": null)",
                           R"("right": true)", R"("a note")"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}
