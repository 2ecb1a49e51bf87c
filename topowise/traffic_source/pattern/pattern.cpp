// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/pattern/pattern.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/traffic_source/pattern/messages.hpp>

namespace topowise {
namespace {

using pattern::Message;
using pattern::Request;

/// Sets a field to a whole number from 1 to `most`; false for any other value.
bool set_count(std::size_t& field, std::string_view value, std::int64_t most = 1 << 20) {
  const std::optional<std::int64_t> number = parse_integer(value);
  if (!number || *number < 1 || *number > most) return false;
  field = static_cast<std::size_t>(*number);
  return true;
}

bool set_precision(double& field, std::string_view value) {
  constexpr std::pair<std::string_view, double> kTypes[] = {
      {"fp8", 1}, {"bf16", 2}, {"fp16", 2}, {"fp32", 4}, {"fp64", 8}};
  for (const auto& [name, bytes] : kTypes) {
    if (value == name) field = bytes;
    if (value == name) return true;
  }
  return false;
}

/// Reads an order such as "tp-cp-ep-dp-pp", fastest first. If they are not named, cp stands right after tp, and ep
/// right before dp.
bool set_order(std::array<pattern::Axis, pattern::kAxes>& order, std::string_view value) {
  using pattern::Axis;
  if (value == "megatron" || value == "deepspeed") value = "tp-cp-ep-dp-pp";
  constexpr std::pair<std::string_view, Axis> kNames[] = {
      {"tp", Axis::tp}, {"cp", Axis::cp}, {"ep", Axis::ep}, {"dp", Axis::dp}, {"pp", Axis::pp}};
  std::vector<Axis> axes;
  for (const std::string_view part : split(value, '-')) {
    const auto* known = std::ranges::find(kNames, part, &std::pair<std::string_view, Axis>::first);
    if (known == std::end(kNames) || std::ranges::find(axes, known->second) != axes.end()) return false;
    axes.push_back(known->second);
  }
  for (const Axis needed : {Axis::tp, Axis::dp, Axis::pp})
    if (std::ranges::find(axes, needed) == axes.end()) return false;
  if (std::ranges::find(axes, Axis::cp) == axes.end())
    axes.insert(std::next(std::ranges::find(axes, Axis::tp)), Axis::cp);
  if (std::ranges::find(axes, Axis::ep) == axes.end()) axes.insert(std::ranges::find(axes, Axis::dp), Axis::ep);
  std::ranges::copy(axes, order.begin());
  return true;
}

struct Key {
  std::string_view name;
  std::string_view help;
  std::string_view expects;
  bool (*set)(Request& request, std::string_view value);
};

constexpr Key kKeys[] = {
    {"w", "weight of the heavy dimension: its messages are w times as large [1]", "a number above 0",
     [](Request& request, std::string_view value) {
       const std::optional<double> number = parse_double(value);
       request.w = number.value_or(0);
       return request.w > 0 && request.w <= 1e9;
     }},
    {"heavy", "index of the heavy dimension, from 0 [the longest, the first of equals]", "a dimension's index",
     [](Request& request, std::string_view value) {
       const std::optional<std::int64_t> number = parse_integer(value);
       if (!number || *number < 0 || *number > 255) return false;
       request.heavy = static_cast<std::size_t>(*number);
       return true;
     }},
    {"bytes", "size of a message [1MiB]", "a size like 64KiB, above 0 and up to 8192 TiB",
     [](Request& request, std::string_view value) {
       request.bytes = parse_bytes(value).value_or(Bytes());
       return request.bytes > Bytes() && request.bytes <= Bytes(0x1p53);
     }},
    {"seed", "seed of the random numbers [1]", "a whole number",
     [](Request& request, std::string_view value) {
       const std::optional<std::int64_t> number = parse_integer(value);
       request.seed = static_cast<std::uint64_t>(number.value_or(0));
       return number.has_value();
     }},
    {"degree", "destinations of each rank [4]", "a whole number from 1 to 1048576",
     [](Request& request, std::string_view value) { return set_count(request.degree, value); }},
    {"layers", "layers of the model [32]", "a whole number from 1 to 1048576",
     [](Request& request, std::string_view value) { return set_count(request.layers, value); }},
    {"hidden", "width of the model [4096, rounded up to a multiple of TP]", "a whole number from 1 to 1048576",
     [](Request& request, std::string_view value) { return set_count(request.hidden, value); }},
    {"sequence", "tokens in a sequence [4096]", "a whole number from 1 to 1048576",
     [](Request& request, std::string_view value) { return set_count(request.sequence, value); }},
    {"batch", "sequences in a micro-batch [1]", "a whole number from 1 to 1048576",
     [](Request& request, std::string_view value) { return set_count(request.batch, value); }},
    {"microbatches", "micro-batches of a training step [8]", "a whole number from 1 to 1048576",
     [](Request& request, std::string_view value) { return set_count(request.microbatches, value); }},
    {"cp", "context-parallel ranks, besides those of DIMS [1]", "a whole number from 1 to 1048576",
     [](Request& request, std::string_view value) { return set_count(request.cp, value); }},
    {"ep", "expert-parallel ranks, some of the DP x CP with the same layers [1]", "a whole number from 1 to 1048576",
     [](Request& request, std::string_view value) { return set_count(request.ep, value); }},
    {"experts", "experts of a layer [ep, none without ep]", "a whole number from 1 to 1048576",
     [](Request& request, std::string_view value) { return set_count(request.experts, value); }},
    {"topk", "experts that a token goes to [2, at most the experts]", "a whole number from 1 to 1048576",
     [](Request& request, std::string_view value) { return set_count(request.topk, value); }},
    {"order", "which ranks are neighbours, fastest first: megatron, deepspeed, or such as tp-cp-ep-dp-pp [megatron]",
     "an order such as tp-cp-ep-dp-pp, megatron or deepspeed",
     [](Request& request, std::string_view value) { return set_order(request.order, value); }},
    {"precision", "numbers of activations: fp8, bf16, fp16, fp32, fp64 [bf16]", "fp8, bf16, fp16, fp32 or fp64",
     [](Request& request, std::string_view value) { return set_precision(request.number_bytes, value); }},
    {"gradients", "numbers of gradients [as precision]", "fp8, bf16, fp16, fp32 or fp64",
     [](Request& request, std::string_view value) { return set_precision(request.gradient_bytes, value); }},
    {"allreduce", "how an allreduce goes: ring, tree or hierarchical [ring]", "ring, tree or hierarchical",
     [](Request& request, std::string_view value) {
       using pattern::Reduction;
       request.reduction = value == "tree"           ? Reduction::trees
                           : value == "hierarchical" ? Reduction::hierarchical
                                                     : Reduction::ring;
       return value == "ring" || value == "tree" || value == "hierarchical";
     }},
    {"node", "consecutive ranks on a node, for hierarchical allreduces [8]", "a whole number from 1 to 1048576",
     [](Request& request, std::string_view value) { return set_count(request.node, value); }},
    {"context", "context parallelism by a ring or by alltoall [ring]", "ring or alltoall",
     [](Request& request, std::string_view value) {
       request.context_alltoall = value == "alltoall";
       return value == "ring" || value == "alltoall";
     }},
    {"class", "size of a NAS benchmark: S, W, A, B, C, D, E [A]", "S, W, A, B, C, D or E",
     [](Request& request, std::string_view value) {
       const auto* known = std::ranges::find(pattern::kNasClasses, value.size() == 1 ? value.front() : '\0',
                                             &pattern::NasClass::letter);
       if (known == std::end(pattern::kNasClasses)) return false;
       request.nas_class = known;
       return true;
     }},
};

struct Pattern {
  PatternHelp help;
  std::size_t dims;  ///< how many numbers are in DIMS
  std::vector<Message> (*messages)(const Request&);
  std::string_view order;  ///< in which a rank sends its messages; empty: not all are sent at once
};

constexpr std::string_view kGridOrder = "dimension by dimension, downwards before upwards";

constexpr std::string_view kGridKeys = "w heavy bytes";
constexpr Pattern kPatterns[] = {
    {{"stencil2d", "RxC", "to the neighbours in a 2D grid with open boundaries (5-point stencil)", kGridKeys},
     2,
     pattern::stencil,
     kGridOrder},
    {{"stencil3d", "XxYxZ", "to the neighbours in a 3D grid with open boundaries (7-point stencil)", kGridKeys},
     3,
     pattern::stencil,
     kGridOrder},
    {{"torus2d", "RxC", "to the neighbours in a 2D grid with periodic boundaries", kGridKeys},
     2,
     pattern::torus,
     kGridOrder},
    {{"torus3d", "XxYxZ", "to the neighbours in a 3D grid with periodic boundaries", kGridKeys},
     3,
     pattern::torus,
     kGridOrder},
    {{"hypercube", "D", "to the neighbours in a hypercube of D dimensions (2^D ranks)", kGridKeys},
     1,
     pattern::hypercube,
     kGridOrder},
    {{"halo2d", "RxC", "halo exchange of a 2D domain: as stencil2d", kGridKeys}, 2, pattern::stencil, kGridOrder},
    {{"halo3d", "XxYxZ", "halo exchange of a 3D domain: as stencil3d", kGridKeys}, 3, pattern::stencil, kGridOrder},
    {{"ring", "N", "to the next rank, the last to the first", "bytes"}, 1, pattern::ring, "one message a rank"},
    {{"alltoall", "N", "from every rank to every other", "bytes"},
     1,
     pattern::alltoall,
     "rank XOR 1, rank XOR 2, ...; without a power of two of ranks rank + 1, rank + 2, ..."},
    {{"random", "N", "from every rank to a few others, drawn at random", "degree bytes seed"},
     1,
     pattern::random,
     "as drawn"},
    {{"transpose", "RxC", "rank (i, j) of a grid to rank (j, i) of the transposed one", "bytes"},
     2,
     pattern::transpose,
     "one message a rank"},
    {{"llm", "PPxDPxTP", "a transformer's training step: pipeline, data, tensor, context and expert parallel ranks",
      "layers hidden sequence batch microbatches cp ep experts topk order precision gradients allreduce node context"},
     3,
     pattern::llm,
     {}},
    {{"nas-cg", "N", "NAS CG, the timed part: sums along the rows of a grid of ranks, transposition", "class"},
     1,
     pattern::nas_cg,
     {}},
    {{"nas-mg", "N", "NAS MG, the timed part: halos of all levels of a multigrid cycle", "class"},
     1,
     pattern::nas_mg,
     {}},
};

/// Reads one argument. Every error points at its part of the argument.
class ArgumentReader {
 public:
  /// Makes piece number `piece` of `pieces`.
  explicit ArgumentReader(const std::string& argument, std::size_t piece = 0, std::size_t pieces = 1)
      : lines_("TRAFFIC", argument), parts_(split(argument, ':')), piece_(piece), pieces_(pieces) {}

  std::vector<Message> messages(std::size_t& ranks) {
    pattern_ = &find_pattern();
    read_dims();
    for (std::size_t i = 3; i < parts_.size(); ++i) read_key(parts_[i]);
    settle_heavy();
    ranks = check_size();
    request_.senders = piece_of(ranks, piece_, pieces_);
    if (pattern_->messages != pattern::llm) return pattern_->messages(request_);
    pattern::TrainingStep step = pattern::training_step(request_);
    groups_ = std::move(step.groups);
    return std::move(step.messages);
  }

  /// The groups in which the ranks of a training job send messages(); empty for other patterns.
  [[nodiscard]] std::vector<RankGroups> groups() && { return std::move(groups_); }

  /// Diagnostics of what is unusual.
  [[nodiscard]] const std::vector<Diagnostic>& warnings() const { return warnings_; }

 private:
  [[noreturn]] void fail(std::string_view cell, std::string what, std::string hint = {}) const {
    throw Error(ExitStatus::bad_input, {lines_.at(0, cell, std::move(what), std::move(hint))});
  }

  void warn(std::string_view cell, std::string what) { warnings_.push_back(lines_.at(0, cell, std::move(what))); }

  [[nodiscard]] std::string usage() const {
    return fmt::format("write {}{}:{}", kPatternPrefix, pattern_->help.name, pattern_->help.dims);
  }

  [[nodiscard]] const Pattern& find_pattern() const {
    const std::string_view name = parts_.size() > 1 ? parts_[1] : std::string_view();
    std::vector<std::string> names;
    for (const Pattern& known : kPatterns) {
      if (known.help.name == name) return known;
      names.emplace_back(known.help.name);
    }
    if (name == "scatter" || name == "gather")
      fail(name, fmt::format("pattern '{}' is an exchange, which only predict and schedule take", name),
           fmt::format("topowise predict {}{}:8 TOPOLOGY", kPatternPrefix, name));
    fail(name, unknown_name("pattern", name, names), "topowise help patterns");
  }

  void read_dims() {
    if (parts_.size() < 3) fail({}, fmt::format("pattern '{}' needs its extents", pattern_->help.name), usage());
    const std::string text = lower(parts_[2]);
    const std::vector<std::string_view> extents = split(text, 'x');
    for (const std::string_view extent : extents) {
      const std::string_view cell =
          parts_[2].substr(static_cast<std::size_t>(extent.data() - text.data()), extent.size());
      std::size_t number = 0;
      if (!set_count(number, extent, 1LL << 32))
        fail(cell.empty() ? parts_[2] : cell, fmt::format("'{}' is not an extent", printable(cell)), usage());
      request_.dims.push_back(number);
    }
    if (request_.dims.size() != pattern_->dims)
      fail(parts_[2],
           fmt::format("pattern '{}' has {} extent{}, not {}: '{}'", pattern_->help.name, pattern_->dims,
                       pattern_->dims == 1 ? "" : "s", request_.dims.size(), printable(parts_[2])),
           usage());
  }

  void read_key(std::string_view part) {
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    if (equals == std::string_view::npos)
      fail(part, fmt::format("'{}' is not KEY=VALUE", printable(part)), "topowise help patterns");
    std::vector<std::string> names;
    for (const std::string_view taken : split_blanks(pattern_->help.keys)) names.emplace_back(taken);
    if (std::ranges::find(names, name) == names.end()) {
      fail(part, unknown_name(fmt::format("key of pattern '{}':", pattern_->help.name), name, names),
           fmt::format("it takes {}", fmt::join(names, ", ")));
    }
    if (!cell(name).empty()) fail(part, fmt::format("key '{}' is given twice", name));
    const Key& key = *std::ranges::find(kKeys, name, &Key::name);
    const std::string_view value = part.substr(equals + 1);
    if (!key.set(request_, value))
      fail(value.empty() ? part : value, fmt::format("'{}' is not {}", printable(value), key.expects));
    cells_.emplace_back(name, value);
  }

  /// The value of a key as it is written; empty if the key is not given.
  [[nodiscard]] std::string_view cell(std::string_view key) const {
    const auto found = std::ranges::find(cells_, key, &std::pair<std::string_view, std::string_view>::first);
    return found == cells_.end() ? std::string_view() : found->second;
  }
  /// The value of a key as it is written; DIMS if the key is not given.
  [[nodiscard]] std::string_view cell_or_dims(std::string_view key) const {
    return cell(key).empty() ? parts_[2] : cell(key);
  }

  [[nodiscard]] std::size_t dimensions() const {
    return pattern_->help.name == "hypercube" ? request_.dims.front() : request_.dims.size();
  }

  void settle_heavy() {
    if (cell("heavy").empty()) {
      if (pattern_->help.name != "hypercube")
        request_.heavy = static_cast<std::size_t>(std::ranges::max_element(request_.dims) - request_.dims.begin());
    } else if (request_.heavy >= dimensions()) {
      fail(cell("heavy"), fmt::format("'{}' is not a dimension: they are 0 to {}", cell("heavy"), dimensions() - 1));
    }
  }

  /// The number of ranks. First checks that it and the number of messages are not too large to be meant.
  [[nodiscard]] std::size_t check_size() {
    double ranks = 1;
    for (const std::size_t extent : request_.dims) ranks *= static_cast<double>(extent);
    if (pattern_->help.name == "hypercube") ranks = std::exp2(request_.dims.front());
    ranks *= static_cast<double>(request_.cp);
    if (ranks > static_cast<double>(pattern::kMostRanks))
      fail(parts_[2], fmt::format("'{}' is {:.3g} ranks, at most {} are possible", printable(parts_[2]), ranks,
                                  pattern::kMostRanks));
    if (pattern_->messages == pattern::nas_cg || pattern_->messages == pattern::nas_mg) check_nas();
    if (!cell("degree").empty() && static_cast<double>(request_.degree) > ranks - 1)
      fail(cell("degree"),
           fmt::format("a rank cannot send to {} others where there are {}", cell("degree"), ranks - 1));
    double messages = 0;
    if (pattern_->messages == pattern::llm) messages = check_training(ranks);
    if (pattern_->messages == pattern::alltoall) messages = ranks * (ranks - 1);
    if (pattern_->messages == pattern::random)
      messages = ranks * std::min(ranks - 1, static_cast<double>(request_.degree));
    if (messages > static_cast<double>(pattern::kMostMessages * pieces_))
      fail(parts_[2], fmt::format("'{}' is {:.3g} messages, at most {} are possible", printable(parts_[2]), messages,
                                  pattern::kMostMessages * pieces_));
    return static_cast<std::size_t>(ranks);
  }

  void check_nas() const {
    if (!std::has_single_bit(request_.dims.front()))
      fail(parts_[2],
           fmt::format("{} ranks: pattern '{}' needs a power of two", request_.dims.front(), pattern_->help.name));
    const std::size_t most = pattern::nas_mg_grid(request_.dims.front())[2];
    if (pattern_->messages == pattern::nas_mg && most > request_.nas_class->cells)
      fail(parts_[2], fmt::format("class {} has {} cells along an axis, which cannot be cut for {} ranks",
                                  request_.nas_class->letter, request_.nas_class->cells, most));
  }

  /// The approximate number of messages of a training step. First checks that its groups can be made.
  [[nodiscard]] double check_training(double ranks) {
    const std::size_t replicas = request_.dims[1] * request_.cp;
    if (replicas % request_.ep != 0)
      fail(cell("ep"), fmt::format("{} expert-parallel ranks do not divide the {} of DP x CP", request_.ep, replicas));
    check_experts();
    check_model();
    const auto partners = static_cast<double>(request_.ep - 1 + (request_.context_alltoall ? request_.cp - 1 : 1));
    // In rings a rank sends to one other for each kind of group, along the pipeline to two; trees have a few more.
    const double of_groups = request_.reduction == pattern::Reduction::ring ? 7 : 16;
    return ranks * (partners + of_groups);
  }

  void check_experts() {
    const std::size_t experts = pattern::experts_of(request_);
    if (experts % request_.ep != 0)
      fail(cell("experts"), fmt::format("{} experts cannot be shared by {} ranks", experts, request_.ep));
    if (experts > 0 && request_.topk > experts)
      fail(cell("topk"), fmt::format("a token cannot go to {} experts where a layer has {}", request_.topk, experts),
           "experts=N says how many a layer has");
    if (experts == 0 && request_.topk > 0) warn(cell("topk"), "topk changes nothing: the model has no experts");
    const pattern::StageStrides strides = pattern::stage_strides(request_);
    if (request_.dims[0] > 1 && strides.attention != strides.experts)
      fail(cell("order"),
           fmt::format("'{}' puts attention and experts of a layer on different stages: pp is {} apart beside cp, "
                       "and {} beside ep",
                       cell("order"), strides.attention, strides.experts),
           "let pp stand last, or have as many ranks of cp as of ep before it");
  }

  /// Checks that the model can be cut in this way. If the user gave no width, it is rounded up to a multiple of TP.
  void check_model() {
    const std::size_t stages = request_.dims[0];
    const std::size_t tensor = request_.dims[2];
    if (cell("hidden").empty()) request_.hidden = (request_.hidden + tensor - 1) / tensor * tensor;
    if (request_.layers < stages)
      fail(cell_or_dims("layers"), fmt::format("{} layers cannot be on {} pipeline stages", request_.layers, stages),
           "each stage has one layer at least");
    if (request_.hidden % tensor != 0)
      fail(cell("hidden"),
           fmt::format("a width of {} cannot be cut for {} tensor-parallel ranks", request_.hidden, tensor),
           "hidden=N says the width, a multiple of TP");
    if (request_.sequence < request_.cp)
      fail(cell("cp"), fmt::format("a sequence of {} tokens cannot be cut into {}", request_.sequence, request_.cp));
    if (request_.sequence % request_.cp != 0)
      warn(cell("cp"), fmt::format("a sequence of {} tokens is not cut into {} equal parts: taken as if it were",
                                   request_.sequence, request_.cp));
    if (const std::size_t more = request_.layers % stages; more != 0)
      warn(cell_or_dims("layers"),
           fmt::format("{} layers on {} pipeline stages: {} on stages 0 to {}, {} on the others", request_.layers,
                       stages, request_.layers / stages + 1, more - 1, request_.layers / stages));
  }

  TextLines lines_;
  std::vector<std::string_view> parts_;
  std::size_t piece_;
  std::size_t pieces_;
  const Pattern* pattern_ = nullptr;
  Request request_;
  std::vector<std::pair<std::string_view, std::string_view>> cells_;  ///< the given keys and their values
  std::vector<Diagnostic> warnings_;
  std::vector<RankGroups> groups_;
};

}  // namespace

std::vector<PatternHelp> pattern_help() {
  std::vector<PatternHelp> rows;
  for (const Pattern& known : kPatterns) rows.push_back(known.help);
  return rows;
}

std::vector<PatternKeyHelp> pattern_key_help() {
  std::vector<PatternKeyHelp> rows;
  for (const Key& key : kKeys) rows.push_back({key.name, key.help});
  return rows;
}

Traffic pattern_traffic(const std::string& argument, std::vector<Diagnostic>& warnings) {
  std::size_t ranks = 0;
  std::vector<TrafficEntry> entries;
  ArgumentReader reader(argument);
  for (const Message& message : reader.messages(ranks))
    entries.push_back({message.source, message.destination, message.bytes, message.messages});
  warnings.insert(warnings.end(), reader.warnings().begin(), reader.warnings().end());
  const Traffic traffic = Traffic::from_entries(ranks, std::move(entries));
  std::vector<RankGroups> groups = std::move(reader).groups();
  return groups.empty() ? traffic : traffic.with_groups(std::move(groups));
}

Traffic pattern_traffic(const std::string& argument) {
  std::vector<Diagnostic> ignored;
  return pattern_traffic(argument, ignored);
}

TrafficRows pattern_rows(const std::string& argument, std::size_t piece, std::size_t pieces) {
  TrafficRows rows;
  const std::vector<Message> messages = ArgumentReader(argument, piece, pieces).messages(rows.ranks);
  const RankRange own = piece_of(rows.ranks, piece, pieces);
  for (const Message& message : messages) {
    if (own.contains(message.source.index()))
      rows.entries.push_back({message.source, message.destination, message.bytes, message.messages});
  }
  return rows;
}

std::string pattern_order(const std::string& argument) {
  const std::vector<std::string_view> parts = split(argument, ':');
  const std::string_view name = parts.size() > 1 ? parts[1] : std::string_view();
  const auto* known = std::ranges::find(kPatterns, name, [](const Pattern& row) { return row.help.name; });
  return std::string(known == std::end(kPatterns) ? std::string_view() : known->order);
}

Exchange pattern_exchange(const std::string& argument) {
  std::size_t ranks = 0;
  std::vector<Communication> communications;
  for (const Message& message : ArgumentReader(argument).messages(ranks))
    communications.push_back({message.source, message.destination, message.bytes, Seconds()});
  return Exchange(std::move(communications));
}

}  // namespace topowise
