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
#include <limits>
#include <numeric>

namespace topowise {
namespace {

// Golub and Van Loan, "Matrix Computations": Householder's reduction to a tridiagonal matrix (algorithm 8.3.1), then
// the implicit QR steps with Wilkinson's shift (8.3.2 and 8.3.3), without vectors.

struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> beside;  ///< one entry less
};

/// A := A - v w' - w v' on the rows and columns from `first` on.
void subtract_outer(std::vector<double>& a, std::size_t n, std::size_t first, const std::vector<double>& v,
                    const std::vector<double>& w) {
  for (std::size_t i = first; i < n; ++i) {
    double* row = &a[i * n];
    for (std::size_t j = first; j < n; ++j) row[j] -= v[i] * w[j] + w[i] * v[j];
  }
}

Tridiagonal tridiagonalise(std::vector<double> a, std::size_t n) {
  Tridiagonal result;
  std::vector<double> v(n);
  std::vector<double> w(n);
  for (std::size_t k = 0; k + 1 < n; ++k) {
    // The reflection maps column k below the diagonal onto its first entry.
    double below = 0;
    for (std::size_t i = k + 1; i < n; ++i) below += a[i * n + k] * a[i * n + k];
    const double first = a[(k + 1) * n + k];
    const double length = first > 0 ? -std::sqrt(below) : std::sqrt(below);
    result.diagonal.push_back(a[k * n + k]);
    result.beside.push_back(length);
    const double norm = below - first * length;  // half the square of the reflection's vector
    if (norm <= 0) continue;                     // the column is zero already
    for (std::size_t i = k + 1; i < n; ++i) v[i] = a[i * n + k];
    v[k + 1] = first - length;
    double overlap = 0;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double* row = &a[i * n];
      double sum = 0;
      for (std::size_t j = k + 1; j < n; ++j) sum += row[j] * v[j];
      w[i] = sum / norm;
      overlap += w[i] * v[i];
    }
    for (std::size_t i = k + 1; i < n; ++i) w[i] -= overlap / (2 * norm) * v[i];
    subtract_outer(a, n, k + 1, v, w);
  }
  if (n > 0) result.diagonal.push_back(a[n * n - 1]);
  return result;
}

/// One implicit QR step on the entries first..last, which no zero beside the diagonal divides.
void qr_step(Tridiagonal& t, std::size_t first, std::size_t last) {
  std::vector<double>& d = t.diagonal;
  std::vector<double>& e = t.beside;
  const double half = (d[last - 1] - d[last]) / 2;
  const double beside = e[last - 1];
  const double shift = d[last] - beside * beside / (half + std::copysign(std::hypot(half, beside), half));
  double x = d[first] - shift;
  double z = e[first];
  for (std::size_t k = first; k < last; ++k) {
    const double length = std::hypot(x, z);
    const double c = length == 0 ? 1.0 : x / length;
    const double s = length == 0 ? 0.0 : z / length;
    if (k > first) e[k - 1] = length;
    const double a = d[k];
    const double b = d[k + 1];
    const double m = e[k];
    d[k] = c * c * a + 2 * c * s * m + s * s * b;
    d[k + 1] = s * s * a - 2 * c * s * m + c * c * b;
    e[k] = c * s * (b - a) + (c * c - s * s) * m;
    if (k + 1 < last) {
      x = e[k];
      z = s * e[k + 1];
      e[k + 1] *= c;
    }
  }
}

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

std::vector<double> symmetric_eigenvalues(std::vector<double> matrix, std::size_t size) {
  // Scales the matrix, because a double does not hold the squares of very small and very large numbers.
  double largest = 0;
  for (const double entry : matrix) largest = std::max(largest, std::abs(entry));
  if (largest == 0) return std::vector<double>(size);
  for (double& entry : matrix) entry /= largest;
  Tridiagonal t = tridiagonalise(std::move(matrix), size);
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  // A few steps for each eigenvalue are usual; the limit only ends a search with entries that are not numbers.
  std::size_t steps_left = 100 * (size + 1);
  for (std::size_t last = size; last > 1 && steps_left > 0; --steps_left) {
    const auto negligible = [&](std::size_t i) {
      return std::abs(t.beside[i]) <= kEpsilon * (std::abs(t.diagonal[i]) + std::abs(t.diagonal[i + 1]));
    };
    if (negligible(last - 2)) {
      --last;
      continue;
    }
    std::size_t first = last - 2;
    while (first > 0 && !negligible(first - 1)) --first;
    qr_step(t, first, last - 1);
  }
  std::ranges::sort(t.diagonal);
  for (double& value : t.diagonal) value *= largest;
  return std::move(t.diagonal);
}

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
