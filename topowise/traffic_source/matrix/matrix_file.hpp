// SPDX-License-Identifier: BSD-3-Clause
// Traffic from matrix files. Each format is one file. Amounts are bytes; row i is what rank i sends. All readers throw
// Error(bad_input) with every error located, and allocate at most in proportion to the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/input.hpp>
#include <topowise/graph/traffic/rank_range.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// Reads the lines of one piece of the vertices. The input is read line by line, and only these lines are kept, so it
/// is not checked that every edge is listed at both its ends. Throws Error(bad_input) as read_metis() does.
[[nodiscard]] TrafficRows read_metis_rows(Input input, std::size_t piece, std::size_t pieces);

/// Rows of numbers between blanks; '#' and '%' begin a comment line.
[[nodiscard]] bool looks_like_matrix_text(std::string_view head);
[[nodiscard]] Traffic read_matrix_text(const std::string& where, std::string_view text);

/// A table between commas, semicolons or TABs: a matrix, with or without a line and a column of names, or a list of
/// pairs with their bytes. Names decide where there are names. Columns of a list that are not used
/// become a warning.
[[nodiscard]] bool looks_like_csv(std::string_view head);
[[nodiscard]] Traffic read_csv(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings);

/// MatrixMarket exchange format: coordinate or array; real, integer or pattern (1 byte each); general or symmetric.
[[nodiscard]] bool looks_like_matrix_market(std::string_view head);
[[nodiscard]] Traffic read_matrix_market(const std::string& where, std::string_view text);

/// METIS graph file. It lists every edge at both of its ends. Line u with neighbour v of weight w (1 if the file has no
/// edge weights) means w bytes from u to v, and line v says the same for the way back.
[[nodiscard]] bool looks_like_metis(std::string_view head);
[[nodiscard]] Traffic read_metis(const std::string& where, std::string_view text);

/// NumPy .npy, versions 1 to 3: a square array of f4, f8, i1 to i8, u1 to u8 or b1, in C or Fortran order.
[[nodiscard]] bool looks_like_npy(std::string_view head);
[[nodiscard]] Traffic read_npy(const std::string& where, std::string_view text);

/// An archive of NumPy's arrays (.npz): one square array, or arrays called bytes and messages; or a sparse matrix of
/// SciPy in the form COO, CSR or CSC. Arrays that are not used become a warning.
[[nodiscard]] bool looks_like_npz(std::string_view head);
[[nodiscard]] Traffic read_npz(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings);

/// Scotch's graph file (.grf). It lists every edge at both of its ends, with its load in bytes (1 if the file has
/// none).
[[nodiscard]] bool looks_like_scotch(std::string_view head);
[[nodiscard]] Traffic read_scotch(const std::string& where, std::string_view text);

/// QAPLIB .dat: n, then two n x n matrices. The first one is the traffic.
[[nodiscard]] bool looks_like_qaplib(std::string_view head);
/// Warns where published costs count more than hop-bytes: they also count the diagonals of both matrices.
[[nodiscard]] Traffic read_qaplib(const std::string& where, std::string_view text, std::vector<Diagnostic>& warnings);

}  // namespace topowise
