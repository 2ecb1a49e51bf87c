#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recipes of packaging/ under the linters of their kind, which tools/install-deps.sh installs for `make test-all`:  recipes_lint_test.py SOURCES LINTERS

rattler-build's own parser reads and renders the recipe for conda; hadolint reads the Containerfile. Nothing is built.
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

SOURCES, LINTERS = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
RENDER = """
import json, rattler_build, sys
variants = {"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"], "c_compiler": ["gcc"], "cxx_compiler": ["gxx"], "target_platform": ["linux-64"]}
recipe = rattler_build.Stage0Recipe.from_file(sys.argv[1])
print(json.dumps([each.recipe.to_dict() for each in recipe.render(rattler_build.VariantConfig(variants))]))
"""


class Recipes(unittest.TestCase):
    def run_linter(self, *words):
        return subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def setUp(self):
        if not (LINTERS / "bin" / "python").exists():
            self.assertNotIn("TOPOWISE_REQUIRE_ALL", os.environ, f"no linters in {LINTERS}: tools/install-deps.sh wide")
            self.skipTest(f"no linters in {LINTERS}")

    def test_conda(self):
        recipe = SOURCES / "packaging" / "conda" / "recipe.yaml"
        done = self.run_linter(LINTERS / "bin" / "python", "-c", RENDER, recipe)
        self.assertEqual(done.returncode, 0, done.stdout)
        (made,) = json.loads(done.stdout)
        self.assertEqual(made["package"]["name"], "topowise")
        needed = made["requirements"]
        self.assertEqual(needed["build"][:3], ["gcc_linux-64", "gxx_linux-64", "sysroot_linux-64 2.28.*"])
        self.assertEqual(needed["host"], ["fmt", "nlohmann_json", "pugixml", "yaml-cpp"])
        for name in made["about"]["license_file"]:
            self.assertTrue((SOURCES / name).is_file(), name)

    def test_container(self):
        done = self.run_linter(LINTERS / "bin" / "hadolint", SOURCES / "packaging" / "Containerfile")
        self.assertEqual((done.returncode, done.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
