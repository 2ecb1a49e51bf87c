// SPDX-License-Identifier: BSD-3-Clause
// Traffic from arrays, which are read in place, and from the sources that the command line reads.
#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <topowise/json.hpp>
#include <topowise/traffic_source/source.hpp>

#include "bindings.hpp"
#include "interruptible.hpp"

namespace topowise::python {
namespace {

void check_columns(std::size_t sources, std::size_t destinations, std::size_t bytes) {
  if (sources != destinations || sources != bytes)
    throw bad_input(fmt::format("{} sources, {} destinations and {} numbers of bytes are no list of pairs", sources,
                                destinations, bytes));
}

template <class Index>
Rank rank_of(Index number) {
  if (number < 0) throw bad_input(fmt::format("traffic names rank {}, but ranks count from 0", number));
  return Rank(static_cast<std::size_t>(number));
}

/// The rows of a compressed sparse matrix, as scipy.sparse.csr_matrix holds them.
template <class Index>
Traffic from_rows(std::size_t ranks, const Column<Index>& first, const Column<Index>& destinations,
                  const Column<double>& bytes) {
  check_columns(bytes.size(), destinations.size(), bytes.size());
  if (first.size() != ranks + 1 || first(0) != 0)
    throw bad_input(fmt::format("{} row starts are no matrix of {} rows", first.size(), ranks));
  std::vector<TrafficEntry> entries;
  entries.reserve(bytes.size());
  for (std::size_t row = 0; row < ranks; ++row) {
    if (first(row + 1) < first(row) || static_cast<std::size_t>(first(row + 1)) > bytes.size())
      throw bad_input(fmt::format("row {} of the matrix begins at {} and ends at {} of {} entries", row, first(row),
                                  first(row + 1), bytes.size()));
    for (auto i = static_cast<std::size_t>(first(row)); i < static_cast<std::size_t>(first(row + 1)); ++i)
      entries.push_back({Rank(row), rank_of(destinations(i)), Bytes(bytes(i)), 0});
  }
  return Traffic::from_entries(ranks, std::move(entries));
}

Traffic from_pairs(std::size_t ranks, const Column<std::int64_t>& sources, const Column<std::int64_t>& destinations,
                   const Column<double>& bytes) {
  check_columns(sources.size(), destinations.size(), bytes.size());
  std::vector<TrafficEntry> entries;
  entries.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    entries.push_back({rank_of(sources(i)), rank_of(destinations(i)), Bytes(bytes(i)), 0});
  return Traffic::from_entries(ranks, std::move(entries));
}

Traffic from_dense(const Square& matrix) {
  if (matrix.shape(0) != matrix.shape(1))
    throw bad_input(fmt::format("{} rows and {} columns are no square matrix", matrix.shape(0), matrix.shape(1)));
  std::vector<TrafficEntry> entries;
  for (std::size_t i = 0; i < matrix.shape(0); ++i) {
    for (std::size_t j = 0; j < matrix.shape(1); ++j) {
      if (const double bytes = matrix(i, j); bytes != 0) entries.push_back({Rank(i), Rank(j), Bytes(bytes), 0});
    }
  }
  return Traffic::from_entries(matrix.shape(0), std::move(entries));
}

/// (traffic, what is odd but could be read)
nb::tuple load(const std::filesystem::path& source, const std::string& format, const std::string& collectives,
               const std::string& memory) {
  std::vector<Diagnostic> found;
  auto read = interruptible([&](const std::atomic<bool>& stop) {
    const LoadTrafficOptions options{.format = format, .collectives = collectives, .memory = memory, .stop = &stop};
    return load_traffic(source.string(), options, &found);
  });
  if (read.interrupted) throw Error(ExitStatus::interrupted, "interrupted");
  nb::list warnings;
  for (const Diagnostic& warning : found) warnings.append(to_text(warning.render("warning")));
  return nb::make_tuple(nb::cast(std::move(read.result)), warnings);
}

/// Checks the words that say how text is read. They are checked even if no text is read.
void check_words(const std::string& format, const std::string& collectives, const std::string& memory) {
  check_names({.format = format, .collectives = collectives, .memory = memory, .progress = {}});
}

/// (source, destination, bytes, messages) of every pair, sorted.
nb::tuple pairs_of(const Traffic& traffic) {
  std::vector<std::int64_t> sources;
  std::vector<std::int64_t> destinations;
  std::vector<double> bytes;
  std::vector<std::uint64_t> messages;
  for (const TrafficEntry& entry : traffic.entries()) {
    sources.push_back(static_cast<std::int64_t>(entry.source.index()));
    destinations.push_back(static_cast<std::int64_t>(entry.destination.index()));
    bytes.push_back(entry.bytes.value());
    messages.push_back(entry.messages);
  }
  return nb::make_tuple(to_array(std::move(sources)), to_array(std::move(destinations)), to_array(std::move(bytes)),
                        to_array(std::move(messages)));
}

nb::object matrix_of(const Traffic& traffic) {
  const std::size_t ranks = traffic.ranks();
  check_table(ranks, "ranks");
  std::vector<double> matrix(ranks * ranks);
  for (const TrafficEntry& entry : traffic.entries())
    matrix[entry.source.index() * ranks + entry.destination.index()] += entry.bytes.value();
  return to_array(std::move(matrix)).attr("reshape")(ranks, ranks);
}

std::string words_for(const Traffic& traffic) {
  return fmt::format("<topowise.Traffic: {} ranks, {} pairs, {}>", traffic.ranks(), traffic.entries().size(),
                     to_string(traffic.total_bytes()));
}

}  // namespace

void bind_traffic(nb::module_& module) {
  const auto released = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<Traffic>(module, "Traffic",
                      "How many bytes each rank sends to each other. Immutable; made by topowise.traffic().")
      .def_prop_ro("ranks", &Traffic::ranks, "Number of ranks.")
      .def_prop_ro(
          "total_bytes", [](const Traffic& traffic) { return traffic.total_bytes().value(); },
          "Bytes of all pairs, those of a rank to itself included.")
      .def("pairs", &pairs_of,
           "(source, destination, bytes, messages): four arrays with an element a pair, sorted by source, then "
           "destination. `messages` is 0 where only bytes are known.")
      .def("matrix", &matrix_of, "Bytes from rank (row) to rank (column): float64, shape (ranks, ranks).")
      .def(
          "to_json", [](const Traffic& traffic) { return to_json(traffic); }, released,
          "Text in the format topowise.traffic/1, as `topowise traffic --json` prints it.")
      .def(
          "save",
          [](const Traffic& traffic, nb::handle given) {
            const std::string path = path_of(given);
            const nb::gil_scoped_release without_lock;
            save_traffic(path, traffic);
          },
          nb::arg("path").none(), "Write to_json() to a file, which is replaced at once or not at all.")
      .def("__repr__", &words_for);
  module.def("traffic_from_rows", &from_rows<std::int32_t>, released);
  module.def("traffic_from_rows", &from_rows<std::int64_t>, released);
  module.def("traffic_from_pairs", &from_pairs, released);
  module.def("traffic_from_dense", &from_dense, released);
  module.def("traffic_from_text", &traffic_from_text, released);
  module.def("load_traffic", &load);
  module.def("check_words", &check_words);
}

}  // namespace topowise::python
