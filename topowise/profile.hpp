// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The files of a recorded profile byte by byte, for programs that read or write them. (load_traffic() of traffic.hpp
/// reads a whole profile.)
///
/// @code
/// topowise::profile::Header header;
/// std::ifstream("app.traffic/00c0ffee00c0ffee.0.twprof").read(reinterpret_cast<char*>(&header), sizeof(header));
/// std::cout << header.world_size << " ranks of " << header.program << '\n';
/// @endcode
#pragma once

#include <topowise/profile/format.hpp>
