// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology.hpp>

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <functional>

#include <topowise/drawing.hpp>
#include <topowise/json.hpp>

#include "bindings.hpp"
#include "names.hpp"

namespace topowise::python {
namespace {

nb::builtin_exception other_type(const char* wanted, nb::handle given) {
  return nb::type_error(fmt::format("{}, not {}", wanted, nb::type_name(given.type()).c_str()).c_str());
}

/// Takes any object, because nanobind's own message for a wrong type would show nanobind's signatures.
Place place_of(const Topology& machine, nb::handle given) {
  const nb::object whole = nb::steal(PyNumber_Index(given.ptr()));
  if (!whole.is_valid()) {
    PyErr_Clear();
    throw other_type("a place is a whole number", given);
  }
  int beyond = 0;
  const long long number = PyLong_AsLongLongAndOverflow(whole.ptr(), &beyond);
  if (beyond != 0 || number < 0 || static_cast<std::size_t>(number) >= machine.place_count())
    throw bad_input(fmt::format("place {} is none of '{}', whose places are 0 to {}", nb::str(whole).c_str(),
                                machine.name(), machine.place_count() - 1));
  return Place(static_cast<std::size_t>(number));
}

template <class Value>
auto of_pair(Value value) {
  return [value](const Topology& machine, nb::handle a, nb::handle b) {
    return value(machine, place_of(machine, a), place_of(machine, b));
  };
}

std::vector<double> pair_table(const Topology& machine, const std::string& metric) {
  const Metric wanted = choose(kMetrics, metric, parse_metric);
  const std::size_t places = machine.place_count();
  check_table(places, "places");
  std::vector<double> table;
  table.reserve(places * places);
  for (std::size_t a = 0; a < places; ++a) {
    for (std::size_t b = 0; b < places; ++b) table.push_back(machine.pair_cost(wanted, Place(a), Place(b)));
  }
  return table;
}

nb::object pair_costs(const Topology& machine, nb::handle given) {
  std::string metric;
  if (!nb::try_cast(given, metric)) throw other_type("metric is text", given);
  std::vector<double> table;
  {
    const nb::gil_scoped_release released;
    table = pair_table(machine, metric);
  }
  const std::size_t places = machine.place_count();
  return to_array(std::move(table)).attr("reshape")(places, places);
}

std::vector<std::string> place_names(const Topology& machine) {
  std::vector<std::string> names;
  for (std::size_t p = 0; p < machine.place_count(); ++p) names.push_back(machine.vertex_of(Place(p)).name);
  return names;
}

/// (name of one end, name of the other, kind, bandwidth, latency) of every link, by number.
nb::list links_of(const Topology& machine) {
  nb::list all;
  for (const Link& link : machine.links())
    all.append(nb::make_tuple(machine.vertex(link.from).name, machine.vertex(link.to).name,
                              std::string(to_string(link.kind)), link.bandwidth.value(), link.latency.value()));
  return all;
}

std::vector<std::string> level_names(const Topology& machine) {
  std::vector<std::string> names;
  for (const PathClass& level : machine.levels()) names.push_back(to_string(level));
  return names;
}

nb::str words_for(const Topology& machine) {
  return to_text(fmt::format("<topowise.Topology '{}': {} places>", machine.name(), machine.place_count()));
}

void bind_pairs(nb::class_<Topology>& type) {
  using namespace nb::literals;
  type.def("distance", of_pair(std::mem_fn(&Topology::distance)), "a"_a.none(), "b"_a.none(),
           nb::sig("def distance(self, a: int, b: int) -> float"),
           "Level of the pair of places + 1, or what the source states; 0 for a place and itself.")
      .def("level", of_pair(std::mem_fn(&Topology::level)), "a"_a.none(), "b"_a.none(),
           nb::sig("def level(self, a: int, b: int) -> int"),
           "Index in `levels` of the path between two places; -1 for a place and itself.")
      .def("bandwidth",
           of_pair([](const Topology& machine, Place a, Place b) { return machine.bandwidth(a, b).value(); }),
           "a"_a.none(), "b"_a.none(), nb::sig("def bandwidth(self, a: int, b: int) -> float"),
           "Bytes per second between two places: stated or measured, else of the narrowest link; 0 if unknown.")
      .def("latency", of_pair([](const Topology& machine, Place a, Place b) { return machine.latency(a, b).value(); }),
           "a"_a.none(), "b"_a.none(), nb::sig("def latency(self, a: int, b: int) -> float"),
           "Seconds between two places: stated or measured, else the sum of the route; 0 if unknown.")
      .def("pair_costs", &pair_costs, "metric"_a.none() = "distance",
           nb::sig("def pair_costs(self, metric: str = 'distance') -> numpy.ndarray"),
           "What a byte between two places costs: an array of float64, places x places, in the unit of the metric "
           "('distance', 'latency', 'bandwidth', 'hops').");
}

}  // namespace

void bind_topology(nb::module_& module) {
  using namespace nb::literals;
  const auto released = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<Topology> type(module, "Topology",
                            "A machine: places that hold ranks, and how any two reach each other. Immutable; made by "
                            "topowise.topology().");
  type.def_prop_ro(
          "name", [](const Topology& machine) { return to_text(machine.name()); }, "Name of the machine.")
      .def_prop_ro("place_names", &place_names, "Name of every place, by number.")
      .def_prop_ro("capacity", &Topology::capacity, "Ranks that all places hold together.")
      .def_prop_ro("levels", &level_names, "Classes of the paths between places, nearest first: 'NV12', 'PIX', 'SYS'.")
      .def_prop_ro(
          "warnings",
          [](const Topology& machine) {
            nb::list all;
            for (const std::string& warning : machine.warnings()) all.append(to_text(warning));
            return all;
          },
          "What is odd in the description.")
      .def(
          "links", &links_of,
          "(from, to, kind, bandwidth, latency) of every link, by number: names of its ends, 'pcie' or 'nvlink' or the "
          "like, bytes per second and seconds (0: not known). Every direction is a link of its own.")
      .def("__len__", &Topology::place_count)
      .def(
          "to_json", [](const Topology& machine) { return to_json(machine); }, released,
          "Text in the format topowise.topology/1, as `topowise topology --json` prints it.")
      .def(
          "save",
          [](const Topology& machine, nb::handle given) {
            const std::string path = path_of(given);
            const nb::gil_scoped_release without_lock;
            save_topology(path, machine);
          },
          "path"_a.none(), "Write to_json() to a file, which is replaced at once or not at all.")
      .def("__repr__", &words_for);
  bind_pairs(type);
  module.def(
      "load_topology",
      [](const std::filesystem::path& source, const std::string& format) {
        return load_topology(source.string(), format);
      },
      released);
  module.def("topology_from_text", &topology_from_text, released);
  module.def("preset_names", &preset_names);
  module.def("drawing_style", &drawing_style);
  module.def("draw_machine", [](const Topology& machine, const Column<std::int64_t>& places) {
    return draw_machine(machine, mapping_of(places));
  });
  module.def("draw_levels", [](const Traffic& traffic, const Topology& machine, const Column<std::int64_t>& before,
                               const Column<std::int64_t>& after) {
    return draw_levels(traffic, machine, mapping_of(before), mapping_of(after));
  });
}

}  // namespace topowise::python
