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

constexpr std::string_view kRecord = "record the job instead: mpirun -n 16 topowise run --profile DIR -- ./app";

constexpr std::array kMarks{
    ForeignMark{looks_like_pickle,
                {"a pickle of Python, and no dump of PyTorch's FlightRecorder",
                 "save an array by numpy.save(), or a table by DataFrame.to_csv()"}},
    ForeignMark{
        [](std::string_view head) { return is_object_with(head, "\"workload_graph\""); },
        {"a workload of Chakra's prototype in JSON (without sizes)", "give traces with comm_size: NAME.RANK.et"}},
    ForeignMark{is_part_of_otf2,
                {"a file of definitions or events of an OTF2 archive", "give the path of traces.otf2, beside it"}},
    ForeignMark{[](std::string_view head) { return trim(head).starts_with("@ mpiP"); }, {"a report of mpiP", kRecord}},
    ForeignMark{[](std::string_view head) { return trim(head).starts_with("##IPM") || says(head, "<ipm_job_profile"); },
                {"a report of IPM", kRecord}},
};

}  // namespace

std::optional<ForeignInput> foreign_traffic(std::string_view head) {
  return foreign_input_of(kMarks, head);
}

}  // namespace topowise
