// SPDX-License-Identifier: BSD-3-Clause
// A page holds two forms of a drawing that is too wide for a narrow window. The width of the window decides which one
// is shown.
#pragma once

namespace topowise {

/// A narrow drawing needs no scrolling in a window of 500 pixels.
enum class DrawingForm : unsigned char { wide, narrow };

}  // namespace topowise
