// SPDX-License-Identifier: BSD-3-Clause
// Places are in one row. A box above them is over the middle of what it is wired to below. Wires between two
// places of the row hang below it as arcs, deeper for places that are farther apart, and NVSwitches hang below the
// arcs. For a narrow window the same drawing lies on its side: x goes down the page and y to the right, and boxes are
// as wide and low as words are.
#include <topowise/report/wire_drawing.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <topowise/base/text.hpp>
#include <topowise/report/markup.hpp>
#include <topowise/report/name_lines.hpp>

namespace topowise {
namespace {

constexpr double kGap = 8;
constexpr double kTitle = 34;
constexpr double kThickest = 8;
constexpr double kSmallLetter = 5.9;  ///< width of a letter in a box without places
constexpr double kLetter = 7;         ///< width of a letter of a place's name
constexpr double kLine = 12;          ///< from line to line of a name
constexpr double kLeastBox = 62;      ///< "complex" and "switch 10" fit
constexpr double kLeastWidth = 260;   ///< least width of a drawing, for its title

/// Sizes: "along" is along the row, "deep" across it.
struct Sizes {
  double place_along = 74, place_deep = 44;
  double adapter_along = 54, box_along = 100, box_deep = 22;  ///< sizes of boxes without places
  double layer = 64;                                          ///< distance from layer to layer
  double begin_along = 1, begin_deep = kTitle;
  double deepest_arc = 1e9;
};

/// The sizes of a drawing on its side. It is only as wide as words stay readable in a narrow window, however many
/// layers there are.
Sizes sizes_on_side(int layers) {
  const double layer = std::min(92.0, 392.0 / std::max(layers, 1));
  return {.place_along = 40,
          .place_deep = 76,
          .adapter_along = 22,
          .box_along = 22,
          .box_deep = layer - 12,
          .layer = layer,
          .begin_along = kTitle,
          .begin_deep = 1,
          .deepest_arc = 94};
}

struct Spot {
  double x = 0, y = 0, width = 0, height = 0;
  [[nodiscard]] double middle() const { return x + width / 2; }
};

/// How many small letters, those of boxes without places, or letters of places fit into a box.
std::size_t letters_in(double width, double letter) {
  return static_cast<std::size_t>(std::max(1.0, (width - 6) / letter));
}

std::string ranks_in_words(const std::vector<std::size_t>& ranks) {
  if (ranks.empty()) return "free";
  const bool run = ranks.back() - ranks.front() + 1 == ranks.size();
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  if (run) return fmt::format("{}–{}", ranks.front(), ranks.back());
  return ranks.size() <= 3 ? fmt::format("{}", fmt::join(ranks, ", ")) : fmt::format("{} ranks", ranks.size());
}

class Drawing {
 public:
  Drawing(const Topology& topology, const WireGraph& graph, const Mapping& mapping, std::string_view title,
          DrawingForm form)
      : topology_(topology),
        graph_(graph),
        title_(title),
        on_side_(form == DrawingForm::narrow),
        ranks_(topology.place_count()),
        spots_(graph.boxes.size()) {
    for (std::size_t r = 0; r < mapping.ranks(); ++r) ranks_[mapping[Rank(r)].index()].push_back(r);
    for (std::size_t b = 0; b < graph.boxes.size(); ++b) layers_[graph.boxes[b].layer].push_back(b);
    if (on_side_) sizes_ = sizes_on_side(layers_.rbegin()->first);
    make_room_for_names();
    lay_out();
  }

  std::string draw(const std::vector<double>& load, std::string_view style) {
    Svg svg(std::max(on_side_ ? height_ : width_, kLeastWidth), on_side_ ? width_ : height_, words_for(load));
    svg.text(1, 15, title_, Svg::Anchor::start, "strong");
    std::vector<std::pair<double, std::size_t>> order;  // full wires are drawn over idle ones
    for (std::size_t w = 0; w < graph_.wires.size(); ++w) order.emplace_back(of_wire(w, load), w);
    std::ranges::sort(order);
    std::string idle;  // one path for all: a large machine has thousands
    for (const auto& [share, w] : order) idle += share > 0 ? "" : way_of(graph_.wires[w]);
    if (!idle.empty()) svg.path(idle, 1, "idle");
    for (const auto& [share, w] : order) {
      if (share > 0) draw_wire(svg, w, load, share, style);
    }
    for (std::size_t b = 0; b < graph_.boxes.size(); ++b) draw_box(svg, b);
    return std::move(svg).finish();
  }

 private:
  static double of_wire(const Wire& wire, const std::vector<double>& load) {
    double most = 0;
    for (const std::size_t link : wire.links) most = std::max(most, load[link]);
    return most;
  }
  [[nodiscard]] double of_wire(std::size_t w, const std::vector<double>& load) const {
    return of_wire(graph_.wires[w], load);
  }

  /// The width on the page of a box without places that is not in the row: where a layer has many, they are narrow.
  [[nodiscard]] double box_width(int layer) const {
    if (on_side_) return sizes_.box_deep;
    const double row = sizes_.place_along * static_cast<double>(layers_.at(0).size());
    return std::clamp(row / static_cast<double>(layers_.at(layer).size()), kLeastBox, sizes_.box_along);
  }

  [[nodiscard]] std::vector<std::string> lines_of(const WireBox& box) const {
    if (!box.places.empty())
      return name_lines(printable(box.name), letters_in(on_side_ ? sizes_.place_deep : sizes_.place_along, kLetter));
    const bool in_row = box.layer == 0 && !on_side_;
    return name_lines(printable(box.name),
                      letters_in(in_row ? sizes_.adapter_along : box_width(box.layer), kSmallLetter));
  }

  /// Makes boxes as high as the longest of their names needs, and lays the layers that much farther apart.
  void make_room_for_names() {
    double of_places = 0;
    double of_boxes = 0;
    for (const WireBox& box : graph_.boxes) {
      double& most = box.places.empty() ? of_boxes : of_places;
      most = std::max(most, kLine * static_cast<double>(lines_of(box).size() - 1));
    }
    if (on_side_) {
      sizes_.place_along += of_places;
      sizes_.adapter_along += of_boxes;
      sizes_.box_along += of_boxes;
    } else {
      sizes_.place_deep += of_places;
      sizes_.box_deep += of_boxes;
      sizes_.layer += of_boxes;
    }
  }

  /// How long the row must be so that the boxes of no layer overlap.
  [[nodiscard]] double longest_layer() const {
    double most = 0;
    for (const auto& [layer, boxes] : layers_) {
      const double along = on_side_ ? sizes_.box_along : box_width(layer);
      if (layer != 0) most = std::max(most, static_cast<double>(boxes.size()) * (along + kGap / 2));
    }
    return most + sizes_.begin_along + 1;
  }

  void lay_out() {
    double x = sizes_.begin_along;
    order_row();
    for (const std::size_t b : layers_[0]) {
      const bool is_place = !graph_.boxes[b].places.empty();
      spots_[b] = {x, 0, is_place ? sizes_.place_along : sizes_.adapter_along,
                   is_place ? sizes_.place_deep : sizes_.box_deep};
      x += spots_[b].width + kGap;
    }
    width_ = std::max({x - kGap + 1, on_side_ ? 0 : kLeastWidth, longest_layer()});
    const int top = layers_.rbegin()->first;
    const auto depth_of = [&](int layer) { return sizes_.begin_deep + sizes_.layer * (top - layer); };
    for (const std::size_t b : layers_[0]) spots_[b].y = depth_of(0);
    for (auto& [layer, boxes] : layers_) {
      if (layer > 0) place_layer(boxes, depth_of(layer));
    }
    height_ = depth_of(0) + sizes_.place_deep + deepest_arc() + 6;
    if (layers_.contains(-1)) {
      place_layer(layers_[-1], height_ + 34);
      height_ += 34 + sizes_.box_deep + 6;
    }
  }

  /// Orders the row so that an adapter is beside a place on the same switch.
  void order_row() {
    std::map<std::size_t, double> wanted;
    for (std::size_t i = 0; i < layers_[0].size(); ++i) wanted[layers_[0][i]] = static_cast<double>(i);
    for (const std::size_t b : layers_[0]) {
      if (!graph_.boxes[b].places.empty()) continue;
      for (const std::size_t above : neighbours(b)) {
        for (const std::size_t sibling : neighbours(above)) {
          if (graph_.boxes[sibling].layer == 0 && !graph_.boxes[sibling].places.empty())
            wanted[b] = wanted[sibling] + 0.5;
        }
      }
    }
    std::ranges::stable_sort(layers_[0], std::less(), [&](std::size_t b) { return wanted[b]; });
  }

  [[nodiscard]] std::vector<std::size_t> neighbours(std::size_t box) const {
    std::vector<std::size_t> found;
    for (const Wire& wire : graph_.wires) {
      if (wire.first == box) found.push_back(wire.second);
      if (wire.second == box) found.push_back(wire.first);
    }
    return found;
  }

  /// Puts each box over the middle of its neighbours that are nearer to the row, and pushes boxes apart where they
  /// would overlap.
  void place_layer(std::vector<std::size_t>& boxes, double y) {
    std::map<std::size_t, double> wanted;
    for (const std::size_t b : boxes) {
      double sum = 0;
      double count = 0;
      for (const std::size_t other : neighbours(b)) {
        if (std::abs(graph_.boxes[other].layer) >= std::abs(graph_.boxes[b].layer)) continue;
        sum += spots_[other].middle();
        ++count;
      }
      wanted[b] = count > 0 ? sum / count : width_ / 2;
    }
    std::ranges::stable_sort(boxes, std::less(), [&](std::size_t b) { return wanted[b]; });
    const double width = on_side_ ? sizes_.box_along : box_width(graph_.boxes[boxes.front()].layer);
    double free = sizes_.begin_along;
    for (const std::size_t b : boxes) {
      spots_[b] = {std::max(free, wanted[b] - width / 2), y, width, sizes_.box_deep};
      free = spots_[b].x + width + kGap / 2;
    }
    double limit = width_ - 1;
    for (auto b = boxes.rbegin(); b != boxes.rend(); ++b) {
      spots_[*b].x = std::min(spots_[*b].x, limit - width);
      limit = spots_[*b].x - kGap / 2;
    }
  }

  [[nodiscard]] bool is_arc(const Wire& wire) const {
    return graph_.boxes[wire.first].layer == graph_.boxes[wire.second].layer;
  }
  [[nodiscard]] double depth(const Wire& wire) const {
    const double apart = std::abs(spots_[wire.first].middle() - spots_[wire.second].middle());
    return 14 + std::min(0.13, (sizes_.deepest_arc - 14) / width_) * apart;
  }
  [[nodiscard]] double deepest_arc() const {
    double most = 0;
    for (const Wire& wire : graph_.wires) {
      if (is_arc(wire) && graph_.boxes[wire.first].layer == 0) most = std::max(most, depth(wire));
    }
    return most;
  }

  /// A point in the coordinates of the page.
  [[nodiscard]] std::string point(double x, double y) const {
    return on_side_ ? fmt::format("{:.5g} {:.5g}", y, x) : fmt::format("{:.5g} {:.5g}", x, y);
  }
  [[nodiscard]] Spot on_page(const Spot& spot) const {
    return on_side_ ? Spot{spot.y, spot.x, spot.height, spot.width} : spot;
  }

  [[nodiscard]] std::string way_of(const Wire& wire) const {
    const Spot& a = spots_[wire.first];
    const Spot& b = spots_[wire.second];
    if (is_arc(wire)) {
      const double y = a.y + a.height;
      const double low = y + depth(wire) * 4 / 3;  // the middle of a cubic curve is at 3/4 of its control points
      if (graph_.boxes[wire.first].layer > 0)
        return fmt::format("M{}L{}", point(a.middle(), a.y + a.height / 2), point(b.middle(), b.y + b.height / 2));
      return fmt::format("M{}C{} {} {}", point(a.middle(), y), point(a.middle(), low), point(b.middle(), low),
                         point(b.middle(), b.y + b.height));
    }
    const bool a_above = a.y < b.y;
    const Spot& high = a_above ? a : b;
    const Spot& low = a_above ? b : a;
    return fmt::format("M{}L{}", point(high.middle(), high.y + high.height), point(low.middle(), low.y));
  }

  [[nodiscard]] std::string words_for(const Wire& wire, const std::vector<double>& load) const {
    std::string words;
    for (const std::size_t l : wire.links) {
      if (load[l] <= 0) continue;
      words += fmt::format("{}{} ({}): {:.0f} %", words.empty() ? "" : "; ", link_name(topology_, topology_.links()[l]),
                           to_string(topology_.links()[l].kind), 100 * load[l]);
    }
    return words;
  }

  [[nodiscard]] std::string words_for(const std::vector<double>& load) const {
    const Wire* fullest = nullptr;
    for (const Wire& wire : graph_.wires) {
      if (of_wire(wire, load) > 0 && (fullest == nullptr || of_wire(wire, load) > of_wire(*fullest, load)))
        fullest = &wire;
    }
    if (fullest == nullptr) return fmt::format("{}: wires and ranks; no wire carries anything", title_);
    return fmt::format("{}: wires and ranks; the fullest wire, between {} and {}, has {:.0f} % of the highest load",
                       title_, graph_.boxes[fullest->first].name, graph_.boxes[fullest->second].name,
                       100 * of_wire(*fullest, load));
  }

  void draw_wire(Svg& svg, std::size_t w, const std::vector<double>& load, double share, std::string_view style) {
    const Wire& wire = graph_.wires[w];
    svg.path(way_of(wire), 1 + (kThickest - 1) * share, style, 0.4 + 0.6 * share, words_for(wire, load));
  }

  void draw_box(Svg& svg, std::size_t b) {
    const WireBox& box = graph_.boxes[b];
    const Spot spot = on_page(spots_[b]);
    std::vector<std::size_t> ranks;
    for (const Place place : box.places)
      ranks.insert(ranks.end(), ranks_[place.index()].begin(), ranks_[place.index()].end());
    std::ranges::sort(ranks);
    const std::string_view style = box.places.empty() ? "inner" : ranks.empty() ? "free" : "place";
    svg.rect(spot.x, spot.y, spot.width, spot.height, style, 1,
             ranks.empty() ? box.name : fmt::format("{}: ranks {}", box.name, fmt::join(ranks, ", ")));
    double y = spot.y + (box.places.empty() ? 15 : 17);
    for (const std::string& line : lines_of(box)) {
      svg.text(spot.middle(), y, line, Svg::Anchor::middle, box.places.empty() ? "small" : "");
      y += kLine;
    }
    if (!box.places.empty())
      svg.text(spot.middle(), y + 6, ranks_in_words(ranks), Svg::Anchor::middle, ranks.empty() ? "small" : "strong");
  }

  const Topology& topology_;
  const WireGraph& graph_;
  std::string title_;
  bool on_side_;
  Sizes sizes_;
  std::vector<std::vector<std::size_t>> ranks_;
  std::vector<Spot> spots_;
  std::map<int, std::vector<std::size_t>> layers_;
  double width_ = 0, height_ = 0;
};

}  // namespace

bool can_draw(const WireGraph& graph) {
  std::map<int, std::size_t> count;
  for (const WireBox& box : graph.boxes) {
    if (box.layer > 8 || ++count[box.layer] > kMostBoxesInARow) return false;
  }
  return count.contains(0) && !graph.wires.empty();
}

bool fits_narrow_window(const WireGraph& graph) {
  return std::ranges::count(graph.boxes, 0, &WireBox::layer) <= 8;
}

std::string wire_drawing(const Topology& topology, const WireGraph& graph, const Mapping& mapping,
                         const std::vector<double>& load, std::string_view title, std::string_view style,
                         DrawingForm form) {
  return Drawing(topology, graph, mapping, title, form).draw(load, style);
}

}  // namespace topowise
