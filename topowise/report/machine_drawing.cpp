// SPDX-License-Identifier: BSD-3-Clause
// Every vertex with places on it or below it is a box around its children, which go from left to right and start a new
// row where the row would become too wide. A box with only one child is not drawn, because it would say nothing new.
#include <topowise/report/machine_drawing.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <topowise/base/text.hpp>
#include <topowise/report/markup.hpp>
#include <topowise/report/name_lines.hpp>

namespace topowise {
namespace {

constexpr double kPlaceWidth = 96;
constexpr double kPlaceHeight = 50;
constexpr double kGap = 8;
constexpr double kHeading = 18;
constexpr double kMostWidth = 1000;
constexpr double kMostNarrow = 600;

struct Box {
  std::string name;
  std::vector<Place> places;  ///< places on the vertex itself
  std::vector<Box> children;
  double x = 0, y = 0, width = 0, height = 0;  ///< position and size within the box around
};

class Machine {
 public:
  explicit Machine(const Topology& topology)
      : topology_(topology), children_(topology.vertices().size()), places_(topology.vertices().size()) {
    for (std::size_t v = 0; v < topology.vertices().size(); ++v) {
      if (const auto parent = topology.vertices()[v].parent) children_[parent->index()].emplace_back(v);
    }
    for (std::size_t p = 0; p < topology.place_count(); ++p)
      places_[topology.place(Place(p)).vertex.index()].emplace_back(p);
  }

  [[nodiscard]] Box whole() const {
    Box all{.name = topology_.name()};
    for (std::size_t v = 0; v < topology_.vertices().size(); ++v) {
      if (!topology_.vertices()[v].parent) add(VertexId(v), all);
    }
    if (all.children.size() == 1) return std::move(all.children.front());
    return all;
  }

 private:
  /// Adds the vertex, with all that is below it, to the box `around`.
  void add(VertexId id, Box& around) const {
    Box box{.name = topology_.vertex(id).name, .places = places_[id.index()]};
    for (const VertexId child : children_[id.index()]) add(child, box);
    if (!box.places.empty() && !box.children.empty())
      box.children.insert(box.children.begin(), Box{.name = box.name, .places = std::exchange(box.places, {})});
    if (box.places.empty() && box.children.size() <= 1) {
      for (Box& only : box.children) around.children.push_back(std::move(only));
    } else {
      around.children.push_back(std::move(box));
    }
  }

  const Topology& topology_;
  std::vector<std::vector<VertexId>> children_;
  std::vector<std::vector<Place>> places_;
};

bool is_leaf(const Box& box) {
  return box.children.empty();
}

void lay_out(Box& box, double most_width) {
  if (is_leaf(box)) {
    box.width = kPlaceWidth;
    box.height = kPlaceHeight * static_cast<double>(std::max<std::size_t>(1, box.places.size()));
    return;
  }
  double x = kGap;
  double y = kHeading + kGap;
  double row_height = 0;
  for (Box& child : box.children) {
    lay_out(child, most_width - 2 * kGap);
    if (x > kGap && x + child.width + kGap > most_width) {
      x = kGap;
      y += row_height + kGap;
      row_height = 0;
    }
    child.x = x;
    child.y = y;
    x += child.width + kGap;
    row_height = std::max(row_height, child.height);
    box.width = std::max(box.width, x);
  }
  box.height = y + row_height + kGap;
}

/// Ranks in words: "rank 3", "ranks 4 7", "8 ranks".
std::string words_for(const std::vector<std::size_t>& ranks) {
  if (ranks.empty()) return "";
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  if (ranks.size() <= 3) return fmt::format("ranks {}", fmt::join(ranks, " "));
  return fmt::format("{} ranks", ranks.size());
}

class Drawing {
 public:
  Drawing(const Topology& topology, const Mapping& mapping, const Box& box)
      : topology_(topology),
        ranks_(topology.place_count()),
        svg_(box.width + 2, box.height + 2,
             fmt::format("The places of {} as boxes in boxes, with the ranks that are mapped to them",
                         topology.name())) {
    for (std::size_t r = 0; r < mapping.ranks(); ++r) ranks_[mapping[Rank(r)].index()].push_back(r);
  }

  void draw(const Box& box, double x, double y) {
    for (std::size_t i = 0; i < box.places.size(); ++i)
      draw_place(box.places[i], x, y + kPlaceHeight * static_cast<double>(i));
    if (is_leaf(box)) return;
    svg_.rect(x, y, box.width, box.height, "frame");
    svg_.text(x + kGap, y + kHeading - 3, box.name, Svg::Anchor::start, "small");
    for (const Box& child : box.children) draw(child, x + child.x, y + child.y);
  }

  [[nodiscard]] std::string finish() && { return std::move(svg_).finish(); }

 private:
  void draw_place(Place place, double x, double y) {
    const Vertex& vertex = topology_.vertex_of(place);
    const std::vector<std::size_t>& ranks = ranks_[place.index()];
    const std::string pci = vertex.pci ? vertex.pci->to_string() : "";
    svg_.rect(x, y, kPlaceWidth, kPlaceHeight - 2, ranks.empty() ? "free" : "place", 1,
              fmt::format("{} {}: rank {}", vertex.name, pci, fmt::join(ranks, ", ")));
    constexpr std::size_t kLetters = 12;  // that fit into the box
    const std::string shown = printable(vertex.name);
    std::vector<std::string> name = name_lines(shown, kLetters, pci.empty() ? 2 : 1);
    if (name.size() > 2) name = name_lines(shown, kLetters, 1);
    for (std::size_t i = 0; i < name.size(); ++i) svg_.text(x + 6, y + 14 + 13 * static_cast<double>(i), name[i]);
    if (!pci.empty()) svg_.text(x + 6, y + 27, pci, Svg::Anchor::start, "small");
    svg_.text(x + 6, y + 42, words_for(ranks), Svg::Anchor::start, "strong");
  }

  const Topology& topology_;
  std::vector<std::vector<std::size_t>> ranks_;
  Svg svg_;
};

}  // namespace

std::string machine_drawing(const Topology& topology, const Mapping& mapping, DrawingForm form) {
  Box box = Machine(topology).whole();
  lay_out(box, form == DrawingForm::wide ? kMostWidth : kMostNarrow);
  Drawing drawing(topology, mapping, box);
  drawing.draw(box, 1, 1);
  return std::move(drawing).finish();
}

}  // namespace topowise
