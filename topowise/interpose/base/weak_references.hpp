// SPDX-License-Identifier: BSD-3-Clause
// Functions that this library wraps but the MPI library does not have.
#pragma once

namespace topowise::interpose {

/// A program may refer weakly to newer functions of MPI and take what it finds: mpi4py calls MPI_Send_c where it is
/// there and has another way where it is not. Our wrappers make all of them be there. So the weak references of the
/// loaded objects that the loader bound to a wrapper with nothing behind it are set to null again, as if we were not
/// there.
///
/// Cheap if no object was loaded since the last time; called before MPI is initialized and whenever the program asks
/// whether it is, which Python modules do when they are loaded.
void hide_what_mpi_lacks() noexcept;

}  // namespace topowise::interpose
