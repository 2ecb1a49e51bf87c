// SPDX-License-Identifier: BSD-3-Clause
// S. Hadley, F. Rendl and H. Wolkowicz, "A new lower bound via projection for the quadratic assignment problem",
// Mathematics of Operations Research 17 (1992). With flows F and costs D, both n x n (a slot without a rank has no
// traffic), the cost of a permutation matrix X is tr(F X D X'). All rows and columns of X sum to one; on what is
// orthogonal to the vector e of ones it is some orthogonal matrix. Therefore
//     tr(F X D X') = tr(F^ Y D^ Y') + (2/n) r(F)' X r(D) - s(F) s(D) / n^2
// with r the sums of the rows, s the sum of all, F^ and D^ the matrices on the space orthogonal to e, and Y orthogonal.
// The first term is at least the eigenvalues of F^, ascending, times those of D^, descending; the second at least the
// sums of F, ascending, times those of D, descending.
//
// No pair of ranks is on one slot, so the diagonal of F, or that of D, can be anything, as long as the other is zero:
// one that makes the sums of all rows equal leaves nothing to lose in the second term. On a hierarchy this is the bound
// of Donath and Hoffman (1973) on the cuts of all its levels at once. The best of the three choices counts.
#include <topowise/mapper/bound/projection_bound.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <topowise/mapper/bound/eigenvalues.hpp>

namespace topowise {
namespace {

/// One of the two matrices, taken apart.
struct Spectrum {
  std::vector<double> sums;         ///< of the rows, ascending
  std::vector<double> eigenvalues;  ///< on the space orthogonal to the ones, ascending
};

/// The reflection that maps the vector of ones onto the first axis; the first row and column are left out.
std::vector<double> without_ones(const std::vector<double>& matrix, std::size_t n, const std::vector<double>& sums) {
  const double root = std::sqrt(static_cast<double>(n));
  // I - v v' / c with v = e / sqrt(n) - (first axis), whose square is 2 c.
  std::vector<double> v(n, 1.0 / root);
  v[0] -= 1.0;
  const double c = 1.0 - 1.0 / root;
  std::vector<double> image(n);
  double twice = 0;
  for (std::size_t i = 0; i < n; ++i) {
    image[i] = sums[i] / root - matrix[i * n];
    twice += image[i] * v[i];
  }
  std::vector<double> rest;
  rest.reserve((n - 1) * (n - 1));
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t j = 1; j < n; ++j)
      rest.push_back(matrix[i * n + j] - (v[i] * image[j] + image[i] * v[j]) / c + twice / (c * c) * v[i] * v[j]);
  }
  return rest;
}

Spectrum take_apart(std::vector<double> matrix, std::size_t n, bool equal_sums) {
  Spectrum spectrum;
  spectrum.sums.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = matrix.begin() + static_cast<std::ptrdiff_t>(i * n);
    spectrum.sums[i] = std::accumulate(row, row + static_cast<std::ptrdiff_t>(n), 0.0);
  }
  if (equal_sums) {
    for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] = -spectrum.sums[i];
    spectrum.sums.assign(n, 0.0);
  }
  spectrum.eigenvalues = symmetric_eigenvalues(without_ones(matrix, n, spectrum.sums), n - 1);
  std::ranges::sort(spectrum.sums);
  return spectrum;
}

/// The bound, less what rounding may have added.
double bound_of(const Spectrum& flow, const Spectrum& cost) {
  constexpr double kRounding = 1e-9;
  const auto n = static_cast<double>(flow.sums.size());
  double size = 0;
  const auto opposed = [&](const std::vector<double>& up, const std::vector<double>& down) {
    double sum = 0;
    for (std::size_t i = 0; i < up.size(); ++i) {
      sum += up[i] * down[down.size() - 1 - i];
      size += std::abs(up[i] * down[down.size() - 1 - i]);
    }
    return sum;
  };
  const auto total = [](const Spectrum& spectrum) {
    return std::accumulate(spectrum.sums.begin(), spectrum.sums.end(), 0.0);
  };
  const double constant = total(flow) * total(cost) / (n * n);
  const double bound = opposed(flow.eigenvalues, cost.eigenvalues) + 2 / n * opposed(flow.sums, cost.sums) - constant;
  return bound - kRounding * (size + std::abs(constant));
}

}  // namespace

double projection_bound(const Instance& instance) {
  const std::size_t n = instance.slots;
  if (!instance.symmetric || n < 3) return 0;
  std::vector<double> flow(n * n, 0.0);
  for (std::size_t i = 0; i < instance.ranks; ++i) {
    const auto row = instance.flow.begin() + static_cast<std::ptrdiff_t>(i * instance.ranks);
    std::copy_n(row, instance.ranks, flow.begin() + static_cast<std::ptrdiff_t>(i * n));
  }
  const Spectrum plain_flow = take_apart(flow, n, false);
  const Spectrum plain_cost = take_apart(instance.cost, n, false);
  const double bound = std::max({0.0, bound_of(plain_flow, plain_cost), bound_of(take_apart(flow, n, true), plain_cost),
                                 bound_of(plain_flow, take_apart(instance.cost, n, true))});
  return instance.step > 0 ? std::ceil(bound / instance.step) * instance.step : bound;
}

}  // namespace topowise
