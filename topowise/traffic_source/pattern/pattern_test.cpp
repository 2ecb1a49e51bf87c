// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/pattern/pattern.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>

using namespace topowise;

namespace {

Bytes bytes(const Traffic& traffic, std::size_t source, std::size_t destination) {
  return traffic.bytes(Rank(source), Rank(destination));
}

std::vector<std::size_t> destinations(const Exchange& exchange, std::size_t source) {
  std::vector<std::size_t> found;
  for (const Communication& message : exchange.communications())
    if (message.source == Rank(source)) found.push_back(message.destination.index());
  return found;
}

std::string refusal(const std::string& argument) {
  try {
    (void)pattern_traffic(argument);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.diagnostics().front().render("error");
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a 4x4 stencil has 24 neighbour pairs, in both directions") {
  const Traffic traffic = pattern_traffic("pattern:stencil2d:4x4:bytes=1B");
  CHECK(traffic.ranks() == 16);
  CHECK(traffic.entries().size() == 48);
  CHECK(traffic.total_bytes() == Bytes(48));
  CHECK(bytes(traffic, 5, 6) == Bytes(1));
  CHECK(bytes(traffic, 5, 9) == Bytes(1));
  CHECK(bytes(traffic, 3, 4) == Bytes(0));  // the end of one row and the start of the next
  CHECK(bytes(traffic, 0, 12) == Bytes(0));
}

TEST_CASE("the heavy dimension: by index, by default the longest, the first of equals") {
  const Traffic first = pattern_traffic("pattern:stencil2d:4x4:w=3:heavy=0:bytes=2B");
  CHECK(bytes(first, 0, 4) == Bytes(6));  // along dimension 0, the one that varies slowest
  CHECK(bytes(first, 0, 1) == Bytes(2));
  const Traffic second = pattern_traffic("pattern:stencil2d:4x4:heavy=1:w=3:bytes=2B");
  CHECK(bytes(second, 0, 1) == Bytes(6));
  const Traffic equal = pattern_traffic("pattern:torus2d:4x4:w=3:bytes=1B");
  CHECK(bytes(equal, 0, 4) == Bytes(3));
  const Traffic longest = pattern_traffic("pattern:torus3d:2x4x2:w=3:bytes=1B");
  CHECK(bytes(longest, 0, 2) == Bytes(3));
  CHECK(bytes(longest, 0, 8) == Bytes(1));
}

TEST_CASE("bytes default to 1 MiB") {
  CHECK(bytes(pattern_traffic("pattern:ring:3"), 0, 1) == Bytes(1048576));
}

TEST_CASE("a torus wraps; neighbours of an extent of 2 coincide and count once") {
  const Traffic square = pattern_traffic("pattern:torus2d:4x4:bytes=1B");
  CHECK(square.entries().size() == 64);
  CHECK(bytes(square, 0, 3) == Bytes(1));
  CHECK(bytes(square, 0, 12) == Bytes(1));
  const Traffic cube = pattern_traffic("pattern:torus3d:4x2x2:w=3:bytes=1B");
  CHECK(cube.entries().size() == 16 * 4);  // 2 along x, 1 along y, 1 along z
  CHECK(bytes(cube, 0, 12) == Bytes(3));
  CHECK(bytes(cube, 0, 1) == Bytes(1));
  CHECK(pattern_traffic("pattern:torus2d:1x3:bytes=1B").entries().size() == 6);
}

TEST_CASE("a hypercube's neighbours differ in one bit; dimension 0 is the highest") {
  const Traffic traffic = pattern_traffic("pattern:hypercube:4:w=3:bytes=1B");
  CHECK(traffic.ranks() == 16);
  CHECK(traffic.entries().size() == 64);
  CHECK(bytes(traffic, 0, 8) == Bytes(3));
  CHECK(bytes(traffic, 0, 1) == Bytes(1));
  CHECK(bytes(pattern_traffic("pattern:hypercube:4:w=3:heavy=3:bytes=1B"), 6, 7) == Bytes(3));
}

TEST_CASE("a halo's messages are in the order of the dimensions, down before up") {
  const Exchange plane = pattern_exchange("pattern:halo2d:2x4");
  CHECK(destinations(plane, 5) == std::vector<std::size_t>{1, 4, 6});
  CHECK(destinations(plane, 0) == std::vector<std::size_t>{4, 1});
  CHECK(plane.communications().size() == 20);
  const Exchange cube = pattern_exchange("pattern:halo3d:2x2x2");
  CHECK(destinations(cube, 5) == std::vector<std::size_t>{1, 7, 4});
  CHECK(cube.communications().size() == 24);
}

TEST_CASE("ring, all-to-all and transposition") {
  CHECK(destinations(pattern_exchange("pattern:ring:4"), 3) == std::vector<std::size_t>{0});
  CHECK(pattern_traffic("pattern:ring:1").entries().empty());
  CHECK(destinations(pattern_exchange("pattern:alltoall:8"), 2) == std::vector<std::size_t>{3, 0, 1, 6, 7, 4, 5});
  CHECK(destinations(pattern_exchange("pattern:alltoall:5"), 3) == std::vector<std::size_t>{4, 0, 1, 2});
  CHECK(pattern_order("pattern:halo2d:2x4") == "dimension by dimension, downwards before upwards");
  CHECK(pattern_order("pattern:llm:1x1x1").empty());
  CHECK(pattern_order("pattern:nothing").empty());
  const Exchange transposed = pattern_exchange("pattern:transpose:2x3");
  CHECK(destinations(transposed, 1) == std::vector<std::size_t>{2});  // (0, 1) -> (1, 0) of 3x2
  CHECK(destinations(transposed, 0).empty());
}

TEST_CASE("random partners: as many as asked for, all different, decided by the seed") {
  const Traffic traffic = pattern_traffic("pattern:random:50:degree=7:seed=3:bytes=1B");
  for (std::size_t rank = 0; rank < 50; ++rank) {
    CHECK(traffic.sent_by(Rank(rank)).size() == 7);
    CHECK(bytes(traffic, rank, rank) == Bytes(0));
  }
  const auto same = [&](const std::string& argument) {
    return std::ranges::equal(traffic.entries(), pattern_traffic(argument).entries());
  };
  CHECK(same("pattern:random:50:degree=7:seed=3:bytes=1B"));
  CHECK_FALSE(same("pattern:random:50:degree=7:seed=4:bytes=1B"));
  CHECK(pattern_traffic("pattern:random:3:degree=2").entries().size() == 6);
  // The default degree is 4, or the number of other ranks if that is smaller.
  CHECK(pattern_traffic("pattern:random:3").entries().size() == 6);
  CHECK(refusal("pattern:random:3:degree=3").find("a rank cannot send to 3 others where there are 2") !=
        std::string::npos);
}

TEST_CASE("a training step: tensor, pipeline and data parallel traffic") {
  // A = 8 x 2 x 16 x 2 = 512 bytes; gradients 12 x 4 x 256 x 2 / (2 x 2) = 6144 bytes per rank.
  const Traffic traffic = pattern_traffic("pattern:llm:2x2x2:layers=4:hidden=16:sequence=8:batch=2:microbatches=3");
  CHECK(traffic.ranks() == 8);
  // 4 allreduces x 2 layers x 3 micro-batches, each 2 x (2 - 1) / 2 x 512
  CHECK(bytes(traffic, 0, 1) == Bytes(24 * 512));
  CHECK(bytes(traffic, 0, 4) == Bytes(3 * 512));
  CHECK(bytes(traffic, 4, 0) == Bytes(3 * 512));
  CHECK(bytes(traffic, 0, 2) == Bytes(6144));
  CHECK(traffic.sent_by(Rank(0)).size() == 3);
  CHECK(traffic.sent_by(Rank(0))[0].messages == 48);
}

// A = 8 x 16 x 2 = 256 bytes; 12 x 256 numbers of 2 bytes are 6144.
TEST_CASE("a training step: context and expert parallel traffic") {
  const std::string model = ":layers=1:hidden=16:sequence=8:batch=1:microbatches=1";
  // Keys and values of half of the sequence go round: 2 x 128 forward and twice that backward. Then gradients are
  // reduced.
  const Traffic ring = pattern_traffic("pattern:llm:1x1x1:cp=2" + model);
  CHECK(ring.ranks() == 2);
  CHECK(bytes(ring, 0, 1) == Bytes(3 * 2 * 128 + 6144));
  CHECK(bytes(pattern_traffic("pattern:llm:1x1x1:cp=2:context=alltoall" + model), 0, 1) == Bytes(8 * 64 + 6144));
  // There is one copy of each token. Half of the copies go to the other expert and back, forward and backward. All
  // ranks share the attention weights, and every second rank has the same experts.
  const Traffic experts = pattern_traffic("pattern:llm:1x4x1:ep=2:topk=1" + model);
  CHECK(bytes(experts, 0, 1) == Bytes(4 * 128 + 2048 * 6 / 4));
  CHECK(bytes(experts, 1, 2) == Bytes(2048 * 6 / 4));
  CHECK(bytes(experts, 0, 2) == Bytes(4096));
  CHECK(bytes(experts, 3, 1) == Bytes(4096));
  CHECK(bytes(pattern_traffic("pattern:llm:1x4x1:ep=2:topk=1:experts=6" + model), 0, 2) == Bytes(3 * 4096));
  // Two tensor-parallel ranks hold half of the tokens' copies each; they gather all copies before and after the
  // experts.
  const Traffic tensor = pattern_traffic("pattern:llm:1x2x2:ep=2:experts=4:topk=3" + model);
  CHECK(bytes(tensor, 0, 1) == Bytes(2 * 256 + 2 * 3 * 256));
  CHECK(bytes(tensor, 0, 2) == Bytes(4 * 3 * 128 / 2 + 1024));
}

TEST_CASE("a training step: precision, order of the ranks, ways of an allreduce") {
  const std::string model = ":layers=1:hidden=16:sequence=8:batch=1:microbatches=1";
  const std::string two = ":layers=2:hidden=16:sequence=8:batch=1:microbatches=1";  // one layer on each stage
  CHECK(bytes(pattern_traffic("pattern:llm:1x1x2:precision=fp32" + model), 0, 1) == Bytes(4 * 512));
  CHECK(bytes(pattern_traffic("pattern:llm:1x2x1:gradients=fp32" + model), 0, 1) == Bytes(2 * 6144));
  const auto same = [&](const std::string& a, const std::string& b) {
    return std::ranges::equal(pattern_traffic("pattern:llm:" + a + two).entries(),
                              pattern_traffic("pattern:llm:" + b + two).entries());
  };
  CHECK(same("2x3x4:cp=2", "2x3x4:cp=2:order=megatron"));
  CHECK(same("2x3x4:cp=2", "2x3x4:cp=2:order=tp-cp-ep-dp-pp"));
  CHECK(same("2x3x4", "2x3x4:order=deepspeed"));
  CHECK(same("2x3x4", "2x3x4:order=tp-dp-pp"));
  const Traffic turned = pattern_traffic("pattern:llm:2x1x2:order=pp-tp-dp" + two);
  CHECK(bytes(turned, 0, 1) == Bytes(256));      // the next stage is the neighbour
  CHECK(bytes(turned, 0, 2) == Bytes(4 * 256));  // a layer has 4 allreduces
  const Traffic trees = pattern_traffic("pattern:llm:1x4x1:allreduce=tree" + model);
  CHECK(bytes(trees, 1, 2) == Bytes(6144));
  CHECK(bytes(trees, 0, 3) == Bytes(0));
  const Traffic nodes = pattern_traffic("pattern:llm:1x4x1:allreduce=hierarchical:node=2" + model);
  CHECK(bytes(nodes, 0, 1) == Bytes(6144));
  CHECK(bytes(nodes, 0, 2) == Bytes(3072));
  CHECK(bytes(nodes, 1, 2) == Bytes(0));
}

// The groups are worked out by hand, with A = 256 bytes (128 with cp=2) and 2 layers, one on each stage. Rank 0 shows
// the strides.
TEST_CASE("a training step in Megatron-LM's order with pipeline stages before data parallelism") {
  const std::string model = ":layers=2:hidden=16:sequence=8:batch=1:microbatches=1";
  for (const std::string order : {"tp-cp-ep-pp-dp", "tp-ep-pp-dp", "tp-pp-dp"}) {
    const Traffic dense = pattern_traffic("pattern:llm:2x2x2:order=" + order + model);
    CHECK(bytes(dense, 0, 1) == Bytes(4 * 256));  // tensor: 0 1
    CHECK(bytes(dense, 0, 2) == Bytes(256));      // stages: 0 2
    CHECK(bytes(dense, 0, 4) == Bytes(3072));     // gradients: 0 4
  }
  // Groups of attention: tp 0 1, cp 0 2, pp 0 4, dp 0 8. Groups of experts: tp 0 1, ep 0 2, pp 0 4, dp 0 8.
  const Traffic mixed = pattern_traffic("pattern:llm:2x2x2:cp=2:ep=2:topk=1:order=tp-cp-ep-pp-dp" + model);
  CHECK(mixed.ranks() == 16);
  CHECK(bytes(mixed, 0, 1) == Bytes(2 * 128 + 2 * 128));
  CHECK(bytes(mixed, 0, 2) == Bytes(3 * 2 * 64 + 4 * 64 / 2 + 1024 * 6 / 4));  // keys and values, tokens, gradients
  CHECK(bytes(mixed, 2, 8) == Bytes(1024 * 6 / 4));                            // gradients of attention: 0 2 8 10
  CHECK(bytes(mixed, 0, 4) == Bytes(128));
  CHECK(bytes(mixed, 0, 8) == Bytes(2048));  // gradients of experts
}

TEST_CASE("a training step: expert-parallel ranks where the order puts them") {
  const std::string model = ":layers=2:hidden=16:sequence=8:batch=1:microbatches=1:topk=1";
  const Traffic behind = pattern_traffic("pattern:llm:1x4x1:ep=2:order=tp-cp-dp-ep-pp" + model);
  CHECK(bytes(behind, 0, 1) == Bytes(8192 + 4096 * 6 / 4));  // 0 and 1 hold the same experts, 2 and 3 too
  CHECK(bytes(behind, 0, 2) == Bytes(2 * 4 * 128));          // tokens between 0 2 and 1 3
  const Traffic between = pattern_traffic("pattern:llm:2x4x1:ep=2:order=tp-cp-pp-ep-dp" + model);
  CHECK(bytes(between, 0, 1) == Bytes(256));                     // the next stage
  CHECK(bytes(between, 0, 2) == Bytes(4 * 128 + 2048 * 6 / 4));  // tokens between 0 2 and 4 6
  CHECK(bytes(between, 0, 4) == Bytes(4096));                    // 0 and 4 hold the same experts, 2 and 6 too
  const auto same = [&](const std::string& a, const std::string& b) {
    return std::ranges::equal(pattern_traffic("pattern:llm:" + a + model).entries(),
                              pattern_traffic("pattern:llm:" + b + model).entries());
  };
  CHECK(same("2x2x2:cp=2:order=pp-dp-tp", "2x2x2:cp=2:order=pp-dp-tp-cp"));  // cp comes beside tp
  CHECK(same("2x4x2:ep=2:order=tp-pp-dp", "2x4x2:ep=2:order=tp-cp-pp-ep-dp"));
  CHECK(refusal("pattern:llm:2x4x1:ep=2:order=tp-cp-ep-pp-dp")
            .find("1:30: 'tp-cp-ep-pp-dp' puts attention and experts of a layer on different stages: pp is 1 apart "
                  "beside cp, and 2 beside ep") != std::string::npos);
  CHECK(refusal("pattern:llm:1x4x1:order=tp-cp-ep-dp-pp-ep").find("is not an order") != std::string::npos);
}

/// The warnings about the pattern, one on each line.
std::string oddities(const std::string& argument) {
  std::vector<Diagnostic> warnings;
  (void)pattern_traffic(argument, warnings);
  std::string lines;
  for (const Diagnostic& warning : warnings)
    lines += fmt::format("{}:{} {}\n", warning.position.line, warning.position.column, warning.what);
  return lines;
}

TEST_CASE("a training step whose layers are not the same number on each stage: no layer is lost") {
  const std::string model = ":layers=5:hidden=16:sequence=8:batch=1:microbatches=3";
  const Traffic traffic = pattern_traffic("pattern:llm:3x1x2" + model);
  for (const auto& [rank, layers] : {std::pair{0, 2}, std::pair{2, 2}, std::pair{4, 1}}) {
    const auto source = static_cast<std::size_t>(rank);
    CHECK(bytes(traffic, source, source + 1) == Bytes(4 * 256 * 3 * layers));
    CHECK(traffic.sent_by(Rank(source)).size() == (rank == 2 ? 3 : 2));
    for (const TrafficEntry& entry : traffic.sent_by(Rank(source)))
      if (entry.destination == Rank(source + 1)) CHECK(entry.messages == std::uint64_t(4 * 2 * 3 * layers));
  }
  const Traffic data = pattern_traffic("pattern:llm:3x2x1" + model);
  CHECK(bytes(data, 0, 1) == Bytes(2 * 6144));
  CHECK(bytes(data, 4, 5) == Bytes(6144));
  CHECK(oddities("pattern:llm:3x1x2:layers=5") ==
        "1:26 5 layers on 3 pipeline stages: 2 on stages 0 to 1, 1 on the others\n");
  CHECK(oddities("pattern:llm:3x1x2") ==
        "1:13 32 layers on 3 pipeline stages: 11 on stages 0 to 1, 10 on the others\n");
}

TEST_CASE("a training step that is unusual") {
  CHECK(oddities("pattern:llm:2x2x2").empty());
  CHECK(oddities("pattern:llm:1x2x1:topk=3") == "1:24 topk changes nothing: the model has no experts\n");
  CHECK(oddities("pattern:llm:1x1x1:cp=3") ==
        "1:22 a sequence of 4096 tokens is not cut into 3 equal parts: taken as if it were\n");
}

TEST_CASE("a token goes to two experts, or to as many as there are") {
  const auto same = [&](const std::string& a, const std::string& b) {
    return std::ranges::equal(pattern_traffic("pattern:llm:1x4x2:" + a).entries(),
                              pattern_traffic("pattern:llm:1x4x2:" + b).entries());
  };
  CHECK(same("experts=1", "experts=1:topk=1"));
  CHECK(same("experts=4:ep=2", "experts=4:ep=2:topk=2"));
  CHECK(same("ep=4", "ep=4:topk=2"));
  CHECK(bytes(pattern_traffic("pattern:llm:1x2x3:layers=1"), 0, 3) == Bytes(12.0 * 4098 * 4098 / 3 * 2));
}

TEST_CASE("a training step that cannot be") {
  CHECK(refusal("pattern:llm:1x4x1:topk=9:ep=2").find("1:24: a token cannot go to 9 experts where a layer has 2") !=
        std::string::npos);
  CHECK(refusal("pattern:llm:1x4x1:experts=1:topk=2").find("to 2 experts where a layer has 1") != std::string::npos);
  CHECK(refusal("pattern:llm:64x1x1:layers=4").find("1:27: 4 layers cannot be on 64 pipeline stages") !=
        std::string::npos);
  CHECK(refusal("pattern:llm:64x1x1").find("1:13: 32 layers cannot be on 64 pipeline stages") != std::string::npos);
  CHECK(refusal("pattern:llm:1x1x3:hidden=7").find("1:26: a width of 7 cannot be cut for 3 tensor-parallel ranks") !=
        std::string::npos);
  CHECK(refusal("pattern:llm:1x1x1:cp=8:sequence=4").find("1:22: a sequence of 4 tokens cannot be cut into 8") !=
        std::string::npos);
  CHECK(refusal("pattern:llm:1x4x1:ep=3").find("3 expert-parallel ranks do not divide the 4 of DP x CP") !=
        std::string::npos);
  CHECK(refusal("pattern:llm:1x4x1:ep=2:experts=3").find("3 experts cannot be shared by 2 ranks") != std::string::npos);
  CHECK(refusal("pattern:llm:1x4x1:order=tp-dp").find("'tp-dp' is not an order") != std::string::npos);
  CHECK(refusal("pattern:llm:1x4x1:order=tp-tp-dp-pp").find("is not an order") != std::string::npos);
  CHECK(refusal("pattern:llm:1x4x1:order=").find("is not an order") != std::string::npos);
  CHECK(refusal("pattern:llm:1x4x1:precision=int3").find("is not fp8, bf16") != std::string::npos);
  CHECK(refusal("pattern:llm:64x64x64:cp=64").find("'64x64x64' is 1.68e+07 ranks") != std::string::npos);
  CHECK(refusal("pattern:llm:1x65536x1:ep=65536").find("messages, at most") != std::string::npos);
}

TEST_CASE("a mistake is shown where it is") {
  CHECK(refusal("pattern:stencil2:4x4")
            .starts_with("error: TRAFFIC:1:9: unknown pattern 'stencil2', did you mean 'stencil2d'?\n    1 | "
                         "pattern:stencil2:4x4\n"));
  CHECK(refusal("pattern:stencil2d:4y4").find("1:19: '4y4' is not an extent") != std::string::npos);
  CHECK(refusal("pattern:stencil2d:4x0").find("1:21: '0' is not an extent") != std::string::npos);
  CHECK(refusal("pattern:stencil2d:4x4x4").find("pattern 'stencil2d' has 2 extents, not 3: '4x4x4'") !=
        std::string::npos);
  CHECK(refusal("pattern:stencil2d").find("\nhint: write pattern:stencil2d:RxC") != std::string::npos);
  CHECK(refusal("pattern:stencil2d:4x4:hevy=0").find("unknown key of pattern 'stencil2d': 'hevy', did you mean") !=
        std::string::npos);
  CHECK(refusal("pattern:stencil2d:4x4:heavy=2").find("1:29: '2' is not a dimension: they are 0 to 1") !=
        std::string::npos);
  CHECK(refusal("pattern:stencil2d:4x4:w=-3").find("'-3' is not a number above 0") != std::string::npos);
  CHECK(refusal("pattern:stencil2d:4x4:w=1:w=2").find("key 'w' is given twice") != std::string::npos);
  CHECK(refusal("pattern:stencil2d:4x4:w").find("'w' is not KEY=VALUE") != std::string::npos);
  CHECK(refusal("pattern:ring:8:heavy=0").find("it takes bytes") != std::string::npos);
  CHECK(refusal("pattern:alltoall:5000").find("'5000' is 2.5e+07 messages") != std::string::npos);
  CHECK(refusal("pattern:hypercube:21").find("'21' is 2.1e+06 ranks") != std::string::npos);
  CHECK(refusal("pattern:stencil3d:9999999999999x1x1").find("is not an extent") != std::string::npos);
  CHECK(refusal("pattern:scatter:8")
            .starts_with("error: TRAFFIC:1:9: pattern 'scatter' is an exchange, which only predict and schedule take"));
  CHECK(refusal("pattern:gather:8").find("pattern 'gather' is an exchange") != std::string::npos);
  CHECK(refusal("pattern:").find("unknown pattern ''") != std::string::npos);
}

TEST_CASE("every pattern of the table can be had, and its help names only keys that exist") {
  std::set<std::string_view> keys;
  for (const PatternKeyHelp& key : pattern_key_help()) keys.insert(key.name);
  for (const PatternHelp& pattern : pattern_help()) {
    CAPTURE(pattern.name);
    const auto extents = static_cast<std::size_t>(std::ranges::count(pattern.dims, 'x'));
    const std::string dims = extents == 0 ? "4" : extents == 1 ? "2x3" : "2x3x2";
    CHECK(pattern_traffic("pattern:" + std::string(pattern.name) + ":" + dims).total_bytes() > Bytes(0));
    for (const std::string_view key : split_blanks(pattern.keys)) CHECK(keys.contains(key));
  }
}

TEST_CASE("a training job knows its groups, and their bytes are those of all messages") {
  const Traffic traffic = pattern_traffic("pattern:llm:2x4x2:ep=2:topk=1:layers=4:hidden=16:sequence=8:batch=2");
  std::vector<std::string> kinds;
  double bytes = 0;
  for (const RankGroups& kind : traffic.groups()) {
    kinds.push_back(kind.kind);
    bytes += kind.bytes.value();
  }
  CHECK(kinds == std::vector<std::string>{"tensor", "expert", "pipeline", "data", "expert data"});
  CHECK(bytes == doctest::Approx(traffic.total_bytes().value()));
  CHECK(traffic.groups()[0].groups.size() == 8);
  CHECK(traffic.groups()[0].groups[1] == std::vector<std::uint32_t>{2, 3});
  CHECK(traffic.groups()[2].groups[0] == std::vector<std::uint32_t>{0, 8});
  CHECK(pattern_traffic("pattern:ring:8").groups().empty());
}
