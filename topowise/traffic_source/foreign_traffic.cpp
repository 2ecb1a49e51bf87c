// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/foreign_traffic.hpp>

#include <algorithm>
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

/// True for an archive whose first file is an array: a local header of 30 bytes, then the name.
bool is_npz(std::string_view head) {
  constexpr std::size_t kHeader = 30;
  if (!head.starts_with("PK\x03\x04") || head.size() < kHeader) return false;
  const std::size_t length = static_cast<unsigned char>(head[26]) + 256u * static_cast<unsigned char>(head[27]);
  return head.substr(kHeader, length).ends_with(".npy");
}

/// True for "0", "VERTICES ARCS", "BASE FLAGS", where FLAGS are three digits, each 0 or 1.
bool is_scotch_graph(std::string_view head) {
  if (trim(take_part(head, '\n')) != "0" || count_words(take_part(head, '\n')) != 2) return false;
  std::string_view line = take_part(head, '\n');
  const std::string_view base = take_word(line);
  const std::string_view flags = take_word(line);
  return (base == "0" || base == "1") && flags.size() == 3 && trim(line).empty() &&
         std::ranges::all_of(flags, [](char c) { return c == '0' || c == '1'; });
}

/// True for "0 init", the first action of a process in a time-independent trace of SimGrid.
bool is_simgrid_trace(std::string_view head) {
  std::string_view line = take_part(head, '\n');
  const std::string_view process = take_word(line);
  return parse_integer(process).has_value() && take_word(line) == "init";
}

constexpr std::string_view kRecord = "record the job instead: mpirun -n 16 topowise run --profile DIR -- ./app";

constexpr std::array kMarks{
    ForeignMark{looks_like_pickle,
                {"a pickle of Python, and no dump of PyTorch's FlightRecorder",
                 "save an array by numpy.save(), or a table by DataFrame.to_csv()"}},
    ForeignMark{[](std::string_view head) { return is_object_with(head, "\"workload_graph\""); },
                {"a workload of Chakra in JSON", "give the traces in Protobuf: NAME.RANK.et, one a rank"}},
    ForeignMark{[](std::string_view head) { return head.starts_with("SQLite format 3"); },
                {"a database of SQLite, as Nsight Systems exports it", kRecord}},
    ForeignMark{is_npz,
                {"an archive of NumPy's arrays (.npz)",
                 "numpy.save('FILE.npy', numpy.load('FILE.npz')['NAME']), or for scipy.sparse "
                 "scipy.io.mmwrite('FILE.mtx', scipy.sparse.load_npz('FILE.npz'))"}},
    ForeignMark{[](std::string_view head) { return says(head, " entering at walltime "); },
                {"a DUMPI trace as dumpi2ascii prints it", kRecord}},
    ForeignMark{[](std::string_view head) { return trim(head).starts_with("#Paraver ("); },
                {"a Paraver trace (.prv)", kRecord}},
    ForeignMark{[](std::string_view head) { return trim(head).starts_with("num_ranks "); },
                {"a schedule in the language GOAL", kRecord}},
    ForeignMark{is_simgrid_trace, {"a time-independent trace of SimGrid", kRecord}},
    ForeignMark{is_scotch_graph,
                {"a graph of Scotch (.grf)", "write it as METIS (.graph), MatrixMarket or a list of edges (CSV)"}},
    ForeignMark{[](std::string_view head) { return trim(head).starts_with("@ mpiP"); }, {"a report of mpiP", kRecord}},
    ForeignMark{[](std::string_view head) { return trim(head).starts_with("##IPM") || says(head, "<ipm_job_profile"); },
                {"a report of IPM", kRecord}},
};

}  // namespace

std::optional<ForeignInput> foreign_traffic(std::string_view head) {
  return foreign_input_of(kMarks, head);
}

}  // namespace topowise
