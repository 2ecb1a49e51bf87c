// SPDX-License-Identifier: BSD-3-Clause
// MPICH's test suite includes it; nothing in it is needed.
#pragma once
