// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/congestion/model_comparison.hpp>

#include <doctest/doctest.h>

#include <tests/paper_machines.hpp>
#include <topowise/predict/congestion/simulate.hpp>

using namespace topowise;
using namespace topowise::testing;
using namespace topowise::benchmark;

namespace {

constexpr double kMessage = 300.0 * 1024 * 1024;

TransferSet table_two() {
  TransferSet set{"Table II", {}};
  for (const auto& [from, to] : {std::pair{0, 2}, {1, 4}, {3, 2}, {6, 4}})
    set.transfers.emplace_back(Place(static_cast<std::size_t>(from)), Place(static_cast<std::size_t>(to)));
  return set;
}

}  // namespace

TEST_CASE("predicted times are those of Table II of SC'16, beside the median of what was measured") {
  const Topology machine = t2_machine();
  CongestionModel model(machine, CongestionModelName::pcie_sc16, {.tau = 0.2});
  std::vector<probe::JointTransfer> asked;
  const RunTogether run = [&](std::span<const probe::JointTransfer> transfers) {
    asked.assign(transfers.begin(), transfers.end());
    return std::vector<probe::TransferTimes>{
        {0.07, 0.06, 0.04, 0.03}, {0.08, 0.06, 0.04, 0.05}, {0.09, 0.06, 0.04, 0.04}};
  };
  const ComparedSet found = compare_prediction(model, table_two(), Bytes(kMessage), run);
  REQUIRE(found.transfers.size() == 4);
  const double predicted[] = {64.944, 64.944, 36.080, 36.080};
  const double measured[] = {80, 60, 40, 40};
  for (std::size_t t = 0; t < 4; ++t) {
    CHECK(found.transfers[t].predicted.value() * 1e3 == doctest::Approx(predicted[t]).epsilon(1e-5));
    CHECK(found.transfers[t].measured.value() * 1e3 == doctest::Approx(measured[t]));
    CHECK(found.transfers[t].error() == doctest::Approx(predicted[t] / measured[t] - 1).epsilon(1e-5));
    CHECK(asked[t].bytes == static_cast<std::size_t>(kMessage));
  }
  CHECK(found.transfers[0].spread.value() == doctest::Approx(0.01));
  CHECK(found.transfers[1].spread.value() == doctest::Approx(0));
}

TEST_CASE("transfers of one source are one queue, of the model's own ports") {
  const Topology machine = t2_machine();
  CongestionModel model(machine, CongestionModelName::automatic);
  const RunTogether run = [](std::span<const probe::JointTransfer> transfers) {
    CHECK(transfers[0].queue == transfers[2].queue);
    CHECK(transfers[0].queue != transfers[1].queue);
    return std::vector<probe::TransferTimes>{{1, 1, 1}};
  };
  const TransferSet set{"", {{Place(0), Place(1)}, {Place(2), Place(1)}, {Place(0), Place(5)}}};
  const ComparedSet found = compare_prediction(model, set, Bytes(1e6), run);
  CHECK(found.transfers[2].predicted > found.transfers[0].predicted);  // the third transfer waits for the first
}

TEST_CASE("errors: share within 15 %, least, most, means, histogram") {
  const std::vector<double> errors{-0.5, -0.15, 0, 0.049, 0.05, 0.15, 0.2, 0.3};
  const Errors found = errors_of(errors);
  CHECK(found.count == 8);
  CHECK(found.least == -0.5);
  CHECK(found.most == 0.3);
  CHECK(found.within == doctest::Approx(5.0 / 8));
  CHECK(found.mean == doctest::Approx(0.099 / 8));
  CHECK(found.mean_absolute == doctest::Approx(1.399 / 8));
  const std::vector<ErrorBin> bins = histogram_of(errors);
  REQUIRE(bins.size() == 17);
  CHECK(bins.front().low == doctest::Approx(-0.5));
  CHECK(bins.back().high == doctest::Approx(0.35));
  std::size_t all = 0;
  for (std::size_t b = 0; b < bins.size(); ++b) {
    all += bins[b].count;
    if (b > 0) CHECK(bins[b].low == bins[b - 1].high);
  }
  CHECK(all == errors.size());
  CHECK(bins[7].count == 1);   // -15 % to -10 %
  CHECK(bins[10].count == 2);  // 0 and 4.9 %
  CHECK(bins[13].count == 1);  // 15 %
  CHECK(histogram_of({}).empty());
  CHECK(errors_of({}).count == 0);
  for (std::size_t count = 1; count < 100; ++count) CHECK(errors_of(std::vector<double>(count, 0.1)).within == 1);
}

TEST_CASE("groups are by the number of transfers of a set") {
  const auto transfer = [](double predicted, double measured) {
    return ComparedTransfer{Place(0), Place(1), Seconds(predicted), Seconds(measured), Seconds(0)};
  };
  const std::vector<ComparedSet> sets{{"a", Bytes(1), {transfer(2, 1), transfer(1, 2)}},
                                      {"b", Bytes(1), {transfer(1, 1)}},
                                      {"c", Bytes(1), {transfer(3, 3), transfer(1.1, 1)}}};
  const std::vector<SizeGroup> groups = groups_of(sets);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].transfers == 1);
  CHECK(groups[0].sets == 1);
  CHECK(groups[1].sets == 2);
  CHECK(groups[1].errors.count == 4);
  CHECK(groups[1].errors.most == doctest::Approx(1));
  CHECK(groups[1].errors.least == doctest::Approx(-0.5));
  CHECK(groups[1].measured.front().value() == 1);
  CHECK(groups[1].measured.back().value() == 3);
  CHECK(all_errors(sets).size() == 5);
}
