// SPDX-License-Identifier: BSD-3-Clause
// Golub and Van Loan, "Matrix Computations": Householder's reduction to a tridiagonal matrix (algorithm 8.3.1), then
// the implicit QR steps with Wilkinson's shift (8.3.2 and 8.3.3), without vectors.
#include <topowise/mapper/bound/eigenvalues.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace topowise {
namespace {

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

}  // namespace

std::vector<double> symmetric_eigenvalues(std::vector<double> matrix, std::size_t size) {
  // Scales the matrix, because a double does not hold the squares of very small and very large numbers.
  double largest = 0;
  for (const double entry : matrix) largest = std::max(largest, std::abs(entry));
  if (largest == 0) return std::vector<double>(size);
  for (double& entry : matrix) entry /= largest;
  Tridiagonal t = tridiagonalise(std::move(matrix), size);
  constexpr double kRounding = std::numeric_limits<double>::epsilon();
  // A few steps for each eigenvalue are usual; the limit only ends a search with entries that are not numbers.
  std::size_t steps_left = 100 * (size + 1);
  for (std::size_t last = size; last > 1 && steps_left > 0; --steps_left) {
    const auto negligible = [&](std::size_t i) {
      return std::abs(t.beside[i]) <= kRounding * (std::abs(t.diagonal[i]) + std::abs(t.diagonal[i + 1]));
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

}  // namespace topowise
