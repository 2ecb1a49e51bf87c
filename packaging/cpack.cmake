# How CPack makes the .deb and the .rpm of an installed tree; tools/make_packages.py sets TREE, VERSION and ARCHITECTURE.
set(CPACK_PACKAGE_NAME topowise)
set(CPACK_PACKAGE_VERSION ${VERSION})
set(CPACK_PACKAGE_FILE_NAME topowise-${VERSION})
set(CPACK_PACKAGE_VENDOR "The topowise authors")
set(CPACK_PACKAGE_CONTACT "The topowise authors <topowise@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "places the ranks of parallel jobs where their communication is cheapest")
set(CPACK_PACKAGE_DESCRIPTION "topowise records which rank of an MPI or NCCL job sends how much to which,
reads the machine (GPUs, processors, network), maps the one onto the other
with a proof of quality, and starts the job there, without a change to the
program. This package contains the program, the preloaded library, the
library for C++ with its headers, manual pages and completions for shells.
It needs glibc only; it opens hwloc and Scotch at run time if they are there.")
set(CPACK_RPM_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_INSTALL_CMAKE_PROJECTS)
set(CPACK_INSTALLED_DIRECTORIES "${TREE};/usr")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)   # rpm --prefix moves it

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/triggers)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.28)")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libhwloc15)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libscotch-7.0, pciutils")
string(REPLACE "x86_64" "amd64" CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${ARCHITECTURE})
string(REPLACE "aarch64" "arm64" CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${CPACK_DEBIAN_PACKAGE_ARCHITECTURE})

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_ARCHITECTURE ${ARCHITECTURE})
set(CPACK_RPM_PACKAGE_LICENSE "BSD-3-Clause AND MIT AND GPL-3.0-or-later WITH GCC-exception-3.1")
set(CPACK_RPM_PACKAGE_GROUP "Development/Tools")
set(CPACK_RPM_COMPRESSION_TYPE xz)
set(CPACK_RPM_PACKAGE_SUGGESTS "hwloc-libs")
set(CPACK_RPM_PACKAGE_RELOCATABLE ON)
set(CPACK_RPM_REQUIRES_EXCLUDE_FROM "\\\\.pc$")   # else programs need pkg-config
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/man /usr/share/man/man1 /usr/lib/cmake /usr/share/pkgconfig /usr/share/doc /usr/share/bash-completion
    /usr/share/bash-completion/completions /usr/share/zsh /usr/share/zsh/site-functions /usr/share/fish /usr/share/fish/vendor_completions.d)
set(CPACK_RPM_SPEC_MORE_DEFINE "%define _build_id_links none
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _buildhost reproducible
%define __strip /bin/true")   # what is linked is stripped, and archives keep the names that linking needs
