// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/foreign_traffic.hpp>

#include <array>
#include <string_view>

#include <topowise/base/text.hpp>
#include <topowise/reading/pickle_events.hpp>

namespace topowise {
namespace {

bool says(std::string_view head, std::string_view mark) {
  return head.find(mark) != std::string_view::npos;
}

bool is_object_with(std::string_view head, std::string_view mark) {
  return trim(head).starts_with('{') && says(head, mark);
}

/// Where events or definitions of an archive begin: the order of bytes, and a count below 2^24 of eight bytes.
bool is_part_of_otf2(std::string_view head) {
  using namespace std::string_view_literals;
  return head.size() > 16 && head[0] == '\x03' && (head[1] == 'B' || head[1] == '#') &&
         head.substr(5, 5) == "\0\0\0\0\0"sv;
}

bool is_zip_with(std::string_view head, std::string_view mark) {
  return head.starts_with("PK\x03\x04") && says(head, mark);
}

/// What files of DUMPI begin with (docs/traceformat.dox of sst-dumpi), and LogGOPSim's schedules (MAGIC_COOKIE).
constexpr std::string_view kOfDumpi("\xff\xaa\xdd\x44UMPI", 8);
constexpr std::string_view kOfGoal("\x7f\x10\0\0\0\0\0\0", 8);
constexpr std::string_view kOfR("X\n\0\0\0", 5);
constexpr std::string_view kTable = "save the table as CSV, with the names of its rows and columns";
constexpr std::string_view kRecord = "record the job instead: mpirun -n 16 topowise run --profile DIR -- ./app";

constexpr std::array kMarks{
    ForeignMark{looks_like_pickle,
                {"a pickle of Python, and no dump of PyTorch's FlightRecorder",
                 "save an array by numpy.save(), or a table by DataFrame.to_csv()"}},
    ForeignMark{
        [](std::string_view head) { return is_object_with(head, "\"workload_graph\""); },
        {"a workload of Chakra's prototype in JSON (without sizes)", "give traces with comm_size: NAME.RANK.et"}},
    ForeignMark{[](std::string_view head) { return says(head, "\"cat\": \"GROUP") && says(head, "\"ph\": \"b\""); },
                {"a trace of NCCL's example of a profiler",
                 "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL, or NCCL's Inspector"}},
    ForeignMark{is_part_of_otf2,
                {"a file of definitions or events of an OTF2 archive", "give the path of traces.otf2, beside it"}},
    ForeignMark{[](std::string_view head) { return head.starts_with(kOfDumpi); },
                {"a trace of DUMPI", "dumpi2ascii FILE > FILE.txt, for each rank"}},
    ForeignMark{[](std::string_view head) { return head.starts_with(kOfGoal); },
                {"a schedule of LogGOPSim in its own form", "give the text in GOAL of which txt2bin has made it"}},
    ForeignMark{[](std::string_view head) {
                  return trim(head).starts_with("DEFAULT_OPTIONS") || trim(head).starts_with("LEVEL CPU SIZE") ||
                         trim(head).starts_with("LEVEL NODE SIZE") || trim(head).starts_with("LEVEL THREAD SIZE");
                },
                {"the names that belong to a trace of Paraver (.pcf, .row)", "give the .prv beside it"}},
    ForeignMark{[](std::string_view head) {
                  return is_zip_with(head, "[Content_Types].xml") ||
                         head.starts_with("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1");
                },
                {"a workbook of Excel (.xlsx, .xls)", kTable}},
    ForeignMark{[](std::string_view head) { return is_zip_with(head, "application/vnd.oasis.opendocument"); },
                {"a table of OpenDocument (.ods)", kTable}},
    ForeignMark{[](std::string_view head) { return head.starts_with("PAR1") || head.starts_with("ARROW1"); },
                {"a table of Parquet or Arrow", "save it by DataFrame.to_csv()"}},
    ForeignMark{[](std::string_view head) { return head.starts_with("\x89HDF\r\n\x1A\n"); },
                {"a file of HDF5 (.h5, .nc, .mat of MATLAB 7.3)", "save its array by numpy.save()"}},
    ForeignMark{[](std::string_view head) { return head.starts_with("MATLAB 5.0 MAT-file"); },
                {"a .mat file of MATLAB", "writematrix(M, 'bytes.csv') writes its matrix"}},
    ForeignMark{[](std::string_view head) { return head.starts_with(kOfR) || head.starts_with("RDX"); },
                {"an object of R (.rds, .RData)", "write.csv(M, \"bytes.csv\") writes a matrix"}},
    ForeignMark{[](std::string_view head) {
                  return is_object_with(head, "\"NvtxEvent\":{") || is_object_with(head, "\"CudaEvent\":{");
                },
                {"an export of Nsight Systems in JSON lines",
                 "nsys export --type sqlite --include-blobs true report.nsys-rep"}},
    ForeignMark{[](std::string_view head) { return trim(head).starts_with("@ mpiP"); }, {"a report of mpiP", kRecord}},
    ForeignMark{[](std::string_view head) { return trim(head).starts_with("##IPM") || says(head, "<ipm_job_profile"); },
                {"a report of IPM", kRecord}},
};

}  // namespace

std::optional<ForeignInput> foreign_traffic(std::string_view head) {
  return foreign_input_of(kMarks, head);
}

}  // namespace topowise
