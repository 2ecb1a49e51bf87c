// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/foreign_traffic.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace topowise;
using namespace std::string_view_literals;

namespace {

std::string_view name_of(std::string_view head) {
  const std::optional<ForeignInput> foreign = foreign_traffic(head);
  return foreign ? foreign->what : "";
}

}  // namespace

TEST_CASE("records that are not read are named") {
  CHECK(name_of("\x80\x02}q\x00(X\x07\x00\x00\x00versionq\x01"sv).starts_with("a pickle of Python"));
  CHECK(name_of("\x80\x04\x95\x0a\x00"sv).starts_with("a pickle of Python"));
  CHECK(name_of("{\n  \"workload_graph\": [") == "a workload of Chakra's prototype in JSON (without sizes)");
  CHECK(name_of("@ mpiP\n@ Command : ./app\n").starts_with("a report of mpiP"));
  CHECK(name_of("##IPMv2.0.6####\n") == "a report of IPM");
  CHECK(name_of("\xff\xaa\xdd\x44UMPI\0\0\0\x05"sv) == "a trace of DUMPI");
  CHECK(name_of("\x7f\x10\0\0\0\0\0\0\x04\0\0\0\1\1"sv) == "a schedule of LogGOPSim in its own form");
  CHECK(name_of(R"([
{"name": "Group API", "cat": "GROUP_API", "ph": "b", "id": 0, "pid": 3, "tid": 1, "args": {"groupDepth": 2}},
{"name": "AllReduce", "cat": "COLL", "ph": "b", "id": 0, "pid": 3, "args": {"CommHash": 1, "Rank": 0, "Count": 8}},
{}]
)") == "a trace of NCCL's example of a profiler");
  for (const std::string_view names :
       {"DEFAULT_OPTIONS\n\nLEVEL               THREAD\n"sv, "LEVEL CPU SIZE 2\n1.host\n"sv})
    CHECK(name_of(names) == "the names that belong to a trace of Paraver (.pcf, .row)");
}

TEST_CASE("tables of other programs are named") {
  CHECK(name_of("PK\x03\x04\x14\0\0\0\x13\0[Content_Types].xml"sv) == "a workbook of Excel (.xlsx, .xls)");
  CHECK(name_of("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0"sv) == "a workbook of Excel (.xlsx, .xls)");
  CHECK(name_of("PK\x03\x04\x14\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet"sv) ==
        "a table of OpenDocument (.ods)");
  CHECK(name_of("PAR1\x15\x04"sv) == "a table of Parquet or Arrow");
  CHECK(name_of("\x89HDF\r\n\x1a\n\0"sv) == "a file of HDF5 (.h5, .nc, .mat of MATLAB 7.3)");
  CHECK(name_of("MATLAB 5.0 MAT-file, Platform: GLNXA64"sv) == "a .mat file of MATLAB");
  CHECK(name_of("X\n\0\0\0\3\0\4\0\0"sv) == "an object of R (.rds, .RData)");
  CHECK(name_of("{\"Type\":59,\"NvtxEvent\":{\"Type\":59,\"Text\":\"a\"}}\n"sv) ==
        "an export of Nsight Systems in JSON lines");
}

TEST_CASE("what is read is not taken for one of them") {
  for (const std::string_view read :
       {""sv, "0\n"sv, "0 1\n1 0\n"sv, "0\n1 2\n"sv, "0 5 0\n5 0 5\n0 5 0\n"sv, "0,1\n1,0\n"sv,
        "source,destination,bytes\n0,1,5\n"sv, "4 4\n2 4\n1 3\n2 4\n1 3\n"sv, "\x93NUMPY\x01\x00v\x00"sv,
        "PK\x03\x04\x14\0\0\0\x09\0arr_0.npy"sv, "%%MatrixMarket matrix coordinate real general\n"sv,
        "2\n0 1\n1 0\n\n0 2\n2 0\n"sv, R"({"schema": "topowise.traffic/1", "ranks": 2})"sv, "=== OTF2-PRINT ===\n"sv,
        R"({"schemaVersion": 1, "traceEvents": [], "distributedInfo": {"pg_config": [{"pg_name": "0"}]}})"sv}) {
    CAPTURE(read);
    CHECK(name_of(read).empty());
  }
}
