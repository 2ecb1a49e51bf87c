// SPDX-License-Identifier: BSD-3-Clause
// A page shows a drawing that is too wide for a narrow window in two forms, of which the window's width chooses one.
#pragma once

namespace topowise {

/// A narrow one needs no scrolling in a window of 500 pixels.
enum class DrawingForm : unsigned char { wide, narrow };

}  // namespace topowise
