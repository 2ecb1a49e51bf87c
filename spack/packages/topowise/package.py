# SPDX-License-Identifier: BSD-3-Clause
"""Install with: spack repo add spack && spack install topowise@main (docs/recipes/without-root.md)"""

import os

from spack.package import *

LANGUAGES = ("c", "cxx")  # since Spack 1.0 compilers are dependencies
try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:  # before that, spack.package has these names
    LANGUAGES = ()


class Topowise(CMakePackage):
    """Places the ranks of parallel jobs where their communication is cheapest."""

    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))  # this clone
    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("python", default=False, description="Build the Python package")
    variant("scotch", default=True, description="Have Scotch beside it, which it opens at run time")
    variant("hwloc", default=True, description="Have hwloc beside it, which it opens at run time")

    for language in LANGUAGES:
        depends_on(language, type="build")
    depends_on("cmake@3.23:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.10:", type="build")
    depends_on("python@3.10:", type=("build", "run"), when="+python")
    depends_on("py-nanobind@2.4:", type="build", when="+python")
    depends_on("py-numpy@1.22:", type="run", when="+python")
    depends_on("fmt@9:")
    depends_on("nlohmann-json")
    depends_on("pugixml")
    depends_on("yaml-cpp")
    depends_on("scotch", type="run", when="+scotch")
    depends_on("hwloc", type="run", when="+hwloc")

    generator("ninja")
    extends("python", when="+python")
    conflicts("%gcc@:10", msg="topowise needs C++20: GCC 11 or newer")

    def cmake_args(self):
        args = [
            self.define_from_variant("TOPOWISE_PYTHON", "python"),
            self.define("BUILD_TESTING", False),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_MPI", True),
            self.define("TOPOWISE_PRECOMPILE", True),
            self.define("TOPOWISE_UNITY", True),
        ]
        if self.spec.satisfies("+python"):
            args.append(self.define("Python_EXECUTABLE", python.path))
            args.append(self.define("TOPOWISE_PYTHON_DIR", python_platlib))
        return args

    def setup_run_environment(self, env):
        # The program opens these libraries by name.
        for library in ("scotch", "hwloc"):
            if self.spec.satisfies(f"+{library}"):
                env.prepend_path("LD_LIBRARY_PATH", self.spec[library].prefix.lib)
