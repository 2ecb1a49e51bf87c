// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/graph/json/topology.hpp>

namespace topowise {
namespace {

constexpr auto kMostInt = static_cast<std::uint64_t>(std::numeric_limits<int>::max());

int whole_int(const JsonNode& node) {
  return static_cast<int>(node.whole(kMostInt));
}

/// The value of a word by one of our tables.
template <class Parse>
auto word(const JsonNode& node, std::string_view what, Parse parse) {
  const auto value = parse(node.text());
  if (!value) throw node.wrong(fmt::format("unknown {} '{}'", what, printable(node.text().substr(0, 80))));
  return *value;
}

void read_identity(const JsonNode& node, Vertex& vertex) {
  if (const auto name = node.find("name")) vertex.name = name->text();
  if (const auto pci = node.find("pci")) vertex.pci = word(*pci, "PCI bus id", PciAddress::parse);
  if (const auto numa = node.find("numa")) {
    if (numa->number() != -1) vertex.numa = whole_int(*numa);
  }
  if (const auto name = node.find("node")) vertex.node = name->text();
  if (const auto uuid = node.find("uuid")) vertex.uuid = uuid->text();
  if (const auto cpus = node.find("cpus")) vertex.cpus = cpus->text();
  if (const auto vendor = node.find("vendor")) vertex.vendor = word(*vendor, "vendor of GPUs", parse_gpu_vendor);
  if (const auto number = node.find("number")) vertex.number = whole_int(*number);
}

/// Reads the key "congestion" of the machine or of a vertex.
CongestionParameters read_congestion(const JsonNode& node) {
  CongestionParameters parameters;
  if (const auto rate = node.find("link_bandwidth_bytes_per_s")) {
    if (!(rate->number() > 0)) throw rate->wrong(fmt::format("'{}' is not above 0", rate->number()));
    parameters.link_bandwidth = BytesPerSecond(rate->number());
  }
  if (const auto tau = node.find("tau")) {
    if (!(tau->number() >= 0 && tau->number() < 0.5))
      throw tau->wrong(fmt::format("tau is '{}', it must be in [0, 0.5)", tau->number()));
    parameters.tau = tau->number();
  }
  return parameters;
}

/// Vertices by their names. A file names a vertex by its number or, if that is unique, by its name.
class VertexNames {
 public:
  void add(const std::string& name, VertexId id) {
    const auto [found, fresh] = ids_.try_emplace(name, id);
    if (!fresh) found->second.reset();
    ++count_;
  }
  [[nodiscard]] VertexId resolve(const JsonNode& node) const {
    if (!node.is_text()) {
      const std::uint64_t index = node.whole();
      if (index >= count_)
        throw node.wrong(fmt::format("vertex {} does not exist, there are {} vertices", index, count_));
      return VertexId(index);
    }
    const auto found = ids_.find(node.text());
    if (found == ids_.end()) throw node.wrong(fmt::format("no vertex is named '{}'", printable(node.text())));
    if (!found->second) throw node.wrong(fmt::format("several vertices are named '{}'", printable(node.text())));
    return *found->second;
  }

 private:
  std::map<std::string, std::optional<VertexId>> ids_;
  std::size_t count_ = 0;
};

/// Refuses a long list before its first element is made, because a short word of a file becomes a large vertex. The
/// limits are those of the largest machines, which `tree:` makes.
void check_count(const JsonNode& list, std::string_view what, std::size_t most) {
  if (list.size() > most) throw list.wrong(fmt::format("{} {} are too many, {} are the most", list.size(), what, most));
}

VertexNames read_vertices(const JsonNode& list, TopologyBuilder& builder) {
  check_count(list, "vertices", std::size_t{1} << 22);
  VertexNames names;
  for_each_element(list, [&](const JsonNode& node, std::size_t index) {
    Vertex vertex;
    vertex.kind = word(node.member("kind"), "kind of vertex", parse_vertex_kind);
    read_identity(node, vertex);
    if (const auto stated = node.find("congestion")) vertex.congestion = read_congestion(*stated);
    if (const auto id = node.find("id"); id && id->whole() != index)
      throw id->wrong(fmt::format("vertices are in the order of their ids, so {} is expected here", index));
    names.add(vertex.name, VertexId(index));
    builder.add_vertex(std::move(vertex));
  });
  // Parents are set last, because a parent may be behind its child.
  for_each_element(list, [&](const JsonNode& node, std::size_t index) {
    if (const auto parent = node.find("parent")) builder.set_parent(VertexId(index), names.resolve(*parent));
  });
  return names;
}

void read_places(const JsonNode& list, const VertexNames& names, TopologyBuilder& builder) {
  check_count(list, "places", std::size_t{1} << 21);
  for_each_element(list, [&](const JsonNode& node, std::size_t index) {
    const PlaceKind kind = word(node.member("kind"), "kind of place", parse_place_kind);
    if (const auto id = node.find("id"); id && id->whole() != index)
      throw id->wrong(fmt::format("places are in the order of their ids, so {} is expected here", index));
    const auto capacity = node.find("capacity");
    const auto at = node.find("vertex");
    VertexId vertex;
    if (at) {
      vertex = names.resolve(*at);
    } else {
      Vertex own{.kind = vertex_kind_of(kind).value_or(VertexKind::group)};
      read_identity(node, own);
      vertex = builder.add_vertex(std::move(own));
    }
    builder.add_place(kind, vertex, capacity ? whole_int(*capacity) : 1);
  });
}

std::vector<std::string> read_adapters(const JsonNode& list, int cables) {
  if (list.size() != static_cast<std::size_t>(cables))
    throw list.wrong(fmt::format("{} adapters for a link of width {}", list.size(), cables));
  std::vector<std::string> names;
  for_each_element(list, [&](const JsonNode& name, std::size_t) { names.emplace_back(name.text()); });
  return names;
}

void read_links(const JsonNode& list, const VertexNames& names, TopologyBuilder& builder) {
  for_each_element(list, [&](const JsonNode& node, std::size_t) {
    Link link;
    link.from = names.resolve(node.member("from"));
    link.to = names.resolve(node.member("to"));
    link.kind = word(node.member("kind"), "kind of link", parse_link_kind);
    if (const auto width = node.find("width")) link.width = whole_int(*width);
    if (const auto rate = node.find("bandwidth_bytes_per_s")) link.bandwidth = BytesPerSecond(rate->amount());
    if (const auto latency = node.find("latency_s")) link.latency = Seconds(latency->amount());
    if (const auto source = node.find("source")) link.source = source->text();
    const int cables = link.width;
    const LinkId id = builder.add_link(std::move(link));
    if (const auto adapters = node.find("adapters")) builder.set_adapters(id, read_adapters(*adapters, cables));
  });
}

Place read_place(const JsonNode& node, const TopologyBuilder& builder) {
  const std::uint64_t index = node.whole();
  if (index >= builder.place_count())
    throw node.wrong(fmt::format("place {} does not exist, there are {} places", index, builder.place_count()));
  return Place(index);
}

/// [vertex, place, link]
void read_forwarding(const JsonNode& list, TopologyBuilder& builder) {
  for_each_element(list, [&](const JsonNode& node, std::size_t) {
    if (node.size() != 3) throw node.wrong("a vertex, a place and a link are wanted here");
    builder.add_forwarding(
        {VertexId(node.element(0).whole()), read_place(node.element(1), builder), LinkId(node.element(2).whole())});
  });
}

/// [place, place]
std::pair<Place, Place> read_pair(const JsonNode& pair, const TopologyBuilder& builder) {
  if (pair.size() != 2) throw pair.wrong("a pair has two places");
  const Place a = read_place(pair.element(0), builder);
  const Place b = read_place(pair.element(1), builder);
  if (a == b) throw pair.wrong("a pair has two different places");
  return {a, b};
}

void read_stated_classes(const JsonNode& object, TopologyBuilder& builder) {
  for (const std::string& name : object.keys()) {
    const JsonNode pairs = object.member(name);
    const std::optional<PathClass> path = parse_path_class(name);
    if (!path) throw pairs.wrong("this is no class of a pair");
    for_each_element(pairs, [&](const JsonNode& pair, std::size_t) {
      const auto [a, b] = read_pair(pair, builder);
      builder.set_class(a, b, *path);
    });
  }
}

/// Rows of one number per place; nothing if there is no such key.
std::vector<double> read_square(const JsonNode& matrix, std::string_view key, std::size_t n) {
  std::vector<double> values;
  const auto rows = matrix.find(key);
  if (!rows) return values;
  if (rows->size() != n) throw rows->wrong(fmt::format("{} rows for {} places", rows->size(), n));
  values.reserve(n * n);
  for_each_element(*rows, [&](const JsonNode& row, std::size_t) {
    if (row.size() != n) throw row.wrong(fmt::format("{} values for {} places", row.size(), n));
    for (std::size_t i = 0; i < n; ++i) values.push_back(row.element(i).amount());
  });
  return values;
}

void read_pair_matrices(const JsonNode& object, TopologyBuilder& builder) {
  const std::size_t n = builder.place_count();
  for (const std::string& name : object.keys()) {
    const JsonNode matrix = object.member(name);
    const std::optional<Metric> metric = name == to_string(Metric::hops) ? std::nullopt : parse_metric(name);
    if (!metric) throw matrix.wrong("the known matrices are 'distance', 'latency' and 'bandwidth'");
    (void)matrix.member("values");  // "values" must be there; the other keys may be missing
    PairMatrix pairs{read_square(matrix, "values", n), {}, read_square(matrix, "affinity", n)};
    if (const auto source = matrix.find("source")) pairs.source = source->text();
    pairs.statistics = {read_square(matrix, "mean", n), read_square(matrix, "spread", n),
                        read_square(matrix, "count", n)};
    if (const auto date = matrix.find("date")) pairs.statistics.date = date->text();
    builder.set_pair_matrix(*metric, std::move(pairs));
  }
}

void read_arities(const JsonNode& list, TopologyBuilder& builder) {
  std::vector<int> arities;
  std::uint64_t leaves = 1;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonNode arity = list.element(i);
    if (arity.whole(builder.place_count()) == 0) throw arity.wrong("'0' children");
    arities.push_back(whole_int(arity));
    leaves *= static_cast<std::uint64_t>(arities.back());
    if (leaves > builder.place_count()) break;
  }
  if (leaves != builder.place_count())
    throw list.wrong(fmt::format("their product is not {}, the number of places", builder.place_count()));
  builder.set_arities(std::move(arities));
}

std::uint32_t read_size(const JsonNode& size) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
  const std::uint64_t number = size.whole(kMost);
  if (number == 0) throw size.wrong("a size is above 0");
  return static_cast<std::uint32_t>(number);
}

void read_network(const JsonNode& object, TopologyBuilder& builder) {
  constexpr std::size_t kMostAxes = 64;
  const JsonNode kind = object.member("kind");
  if (kind.text() == "torus" || kind.text() == "mesh") {
    GridShape grid{.sizes = {}, .closed = kind.text() == "torus"};
    for_each_element(object.member("sizes"),
                     [&](const JsonNode& size, std::size_t) { grid.sizes.push_back(read_size(size)); });
    if (grid.sizes.empty()) throw object.wrong("a grid has at least one axis");
    if (grid.sizes.size() > kMostAxes) throw object.wrong(fmt::format("a grid has at most {} axes", kMostAxes));
    builder.set_network(std::move(grid));
  } else if (kind.text() == "dragonfly") {
    const DragonflyShape fly{.places = read_size(object.member("places")),
                             .routers = read_size(object.member("routers")),
                             .groups = read_size(object.member("groups")),
                             .links = read_size(object.member("links"))};
    if (fly.links > fly.routers) throw object.wrong("two groups have more links than a group has routers");
    builder.set_network(fly);
  } else {
    throw kind.wrong("the known networks are 'torus', 'mesh' and 'dragonfly'");
  }
}

/// Reads the distance of each level. Levels that do not name their classes are taken in order.
void read_levels(const JsonNode& levels, TopologyBuilder& builder) {
  std::vector<double> in_order;
  for_each_element(levels, [&](const JsonNode& level, std::size_t) {
    const JsonNode stated = level.member("distance");
    const double distance = stated.is_null() ? std::numeric_limits<double>::infinity() : stated.amount();
    const auto name = level.find("class");
    if (!name) {
      in_order.push_back(distance);
      return;
    }
    const std::optional<PathClass> path = parse_path_class(name->text());
    if (!path) throw name->wrong("this is no class of a pair");
    builder.set_level_distance(*path, distance);
  });
  if (!in_order.empty()) builder.set_level_distances(std::move(in_order));
}

}  // namespace

Topology topology_from_node(const JsonNode& root) {
  check_schema(root, "topowise.topology/1");
  const auto name = root.find("name");
  TopologyBuilder builder(name ? name->text() : std::string("topology"));
  const auto vertices = root.find("vertices");
  const VertexNames names = vertices ? read_vertices(*vertices, builder) : VertexNames();
  read_places(root.member("places"), names, builder);
  if (const auto links = root.find("links")) read_links(*links, names, builder);
  if (const auto tables = root.find("forwarding")) read_forwarding(*tables, builder);
  if (const auto classes = root.find("stated_classes")) read_stated_classes(*classes, builder);
  if (const auto pairs = root.find("without_peer_access")) {
    for_each_element(*pairs, [&](const JsonNode& pair, std::size_t) {
      const auto [a, b] = read_pair(pair, builder);
      builder.refuse_peer_access(a, b);
    });
  }
  if (const auto matrices = root.find("pair_matrices")) read_pair_matrices(*matrices, builder);
  if (const auto stated = root.find("congestion")) builder.set_congestion(read_congestion(*stated));
  if (const auto arities = root.find("arities")) read_arities(*arities, builder);
  if (const auto network = root.find("network")) read_network(*network, builder);
  if (const auto levels = root.find("levels")) read_levels(*levels, builder);
  constexpr std::size_t kMostNotes = 1000;
  if (const auto warnings = root.find("warnings")) {
    for (std::size_t i = 0; i < std::min(warnings->size(), kMostNotes); ++i) builder.warn(warnings->element(i).text());
  }
  if (const auto assumptions = root.find("assumptions")) {
    for (std::size_t i = 0; i < std::min(assumptions->size(), kMostNotes); ++i)
      builder.assume(assumptions->element(i).text());
  }
  if (const auto invented = root.find("invented_hosts"); invented && invented->truth()) builder.invent_hosts();
  try {
    return std::move(builder).build();
  } catch (const Error& error) {  // errors about the whole do not name the text yet
    throw root.wrong(error.what());
  }
}

Topology topology_from_json(const std::string& where, std::string_view text) {
  const JsonDocument document = parse_json(where, text);
  return topology_from_node(JsonNode(document));
}

}  // namespace topowise
