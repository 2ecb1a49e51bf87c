// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/formats.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <type_traits>
#include <utility>

#include <topowise/base/file.hpp>
#include <topowise/base/input.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>
#include <topowise/traffic_source/recorded/ompi_monitoring.hpp>
#include <topowise/traffic_source/recorded/otf2_print.hpp>
#include <topowise/traffic_source/recorded/recorded.hpp>

namespace topowise {
namespace {

/// Gives a reader the form that the table needs: most know no collective calls, and many never warn.
template <auto Read>
Traffic read_as(const std::string& where, std::string_view text, [[maybe_unused]] const collective::Model& model,
                [[maybe_unused]] std::vector<Diagnostic>& warnings) {
  using Reader = decltype(Read);
  if constexpr (std::is_invocable_v<Reader, const std::string&, std::string_view>)
    return Read(where, text);
  else
    return Read(where, text, warnings);
}

bool looks_like_json(std::string_view head) {
  return trim(head).starts_with('{');
}

constexpr std::array kFormats{
    TrafficFormat{"json", "our own JSON, topowise.traffic/1", looks_like_json, read_as<traffic_from_json>,
                  kLargestInput},
    TrafficFormat{"npy", "NumPy .npy, a square array", looks_like_npy, read_as<read_npy>, kLargestInput},
    TrafficFormat{"npz", "NumPy's or SciPy's .npz: a square array, or a sparse matrix", looks_like_npz,
                  read_as<read_npz>, kLargestInput},
    TrafficFormat{"matrix-market", "MatrixMarket .mtx", looks_like_matrix_market, read_as<read_matrix_market>,
                  kLargestInput},
    TrafficFormat{"ompi-monitoring", "Open MPI monitoring .prof, of one rank or joined", looks_like_ompi_monitoring,
                  read_as<read_ompi_monitoring>, kLargestInput},
    TrafficFormat{"otf2", "OTF2 archive (Score-P): the path of traces.otf2, read by libotf2", looks_like_otf2_archive,
                  read_otf2_archive, kLargestInput},
    TrafficFormat{"otf2-print", "OTF2 traces (Score-P), as otf2-print --show-all prints them", looks_like_otf2_print,
                  read_otf2_print, kLargestInput},
    TrafficFormat{"scotch", "Scotch's graph, .grf", looks_like_scotch, read_as<read_scotch>, kLargestInput},
    TrafficFormat{"csv",
                  "table with commas, semicolons or TABs: a matrix, or a list source,destination,bytes[,messages]",
                  looks_like_csv, read_as<read_csv>, kLargestInput},
    TrafficFormat{"qaplib", "QAPLIB .dat, its first matrix", looks_like_qaplib, read_as<read_qaplib>, kLargestInput},
    TrafficFormat{"metis", "METIS .graph, plain or weighted", looks_like_metis, read_as<read_metis>, kLargestInput},
    TrafficFormat{"matrix", "rows of numbers between blanks", looks_like_matrix_text, read_as<read_matrix_text>,
                  kLargestInput},
};

}  // namespace

std::span<const TrafficFormat> traffic_formats() {
  return kFormats;
}

std::vector<TrafficFormatHelp> traffic_format_help() {
  std::vector<TrafficFormatHelp> all;
  for (const training::TraceFormat& format : training::trace_formats()) all.push_back({format.name, format.help});
  for (const TrafficFormat& format : kFormats) all.push_back({format.name, format.help});
  return all;
}

AnyTrafficFormat traffic_format(std::string_view name) {
  const AnyTrafficFormat found{format_named(training::trace_formats(), name), format_named(kFormats, name)};
  if (found.trace == nullptr && found.text == nullptr)
    throw unknown_format("traffic format", name, names_of(traffic_format_help()));
  return found;
}

AnyTrafficFormat claiming_traffic_format(const std::string& where, std::string_view head) {
  if (head.empty()) throw wrong_input(where, "the file is empty");
  if (looks_like_profile_file(head))
    throw wrong_input(where, "one process's part of a recorded profile", "give the directory that it lies in");
  if (const TrafficFormat* text = format_of(kFormats, head)) return {nullptr, text};
  if (lower(where).ends_with(".nsys-rep") || lower(where).ends_with(".qdrep"))
    throw wrong_input(where, "a report of Nsight Systems, which only its own program reads",
                      "nsys export --type sqlite --include-blobs true FILE");
  if (std::string why = why_no_text(head); !why.empty()) throw wrong_input(where, std::move(why));
  throw wrong_input(
      where, "not a traffic format that is known here",
      fmt::format("topowise traffic FILE --format {} forces one", fmt::join(names_of(traffic_format_help()), "|")));
}

void check_text(const std::string& where, std::string_view head, const TrafficFormat& format) {
  if (head.empty()) return;
  const bool of_numpy = looks_like_npy(head) || looks_like_npz(head);
  const bool archive = looks_like_otf2_archive(head);
  if ((of_numpy || archive) && format.recognises(head)) return;
  std::string why = of_numpy  ? "this is an array of NumPy"
                    : archive ? "this is the anchor of an OTF2 archive"
                              : why_no_text(head);
  if (!why.empty()) throw wrong_input(where, std::move(why));
}

}  // namespace topowise
