#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`make release`: what it refuses, and what it does in which order:  release_test.py SOURCES"""

import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCES = pathlib.Path(sys.argv[1]).resolve()
spec = importlib.util.spec_from_file_location("release", SOURCES / "tools" / "release.py")
release = importlib.util.module_from_spec(spec)
spec.loader.exec_module(release)

MAKEFILE = "release:\n\ttools/release.py \"$(VERSION)\"\ntest packages packages-aarch64:\n\techo $@ >> build/made\n\t! test -e build/no-$@\n"


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in [*release.STATED, "tools/release.py", ".gitignore"]:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCES / name, self.root / name)
        (self.root / "Makefile").write_text(MAKEFILE)
        (self.root / "build").mkdir()
        self.heading("2026-12-01")
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "all")

    def version(self):
        return release.versions(SOURCES)["CMakeLists.txt"]

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@localhost", *words], cwd=self.root, check=True, capture_output=True)

    def change(self, name, old, new):
        text = (self.root / name).read_text(encoding="utf-8")
        (self.root / name).write_text(text.replace(old, new), encoding="utf-8")

    def heading(self, date):
        file = self.root / "CHANGELOG.md"
        file.write_text(re.sub(rf"^## \[{re.escape(self.version())}\] - .*$", f"## [{self.version()}] - {date}", file.read_text(encoding="utf-8"), flags=re.MULTILINE),
                        encoding="utf-8")

    def run_release(self, version):
        return subprocess.run(["make", "-s", "release", f"VERSION={version}"], cwd=self.root, capture_output=True, text=True, check=False)

    def made(self):
        file = self.root / "build" / "made"
        return file.read_text().split() if file.exists() else []

    def assert_refused(self, version, reason):
        done = self.run_release(version)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn(reason, done.stderr[:2000])
        self.assertNotIn("git tag", done.stdout)

    def test_one_version_everywhere(self):
        self.assertEqual(set(release.versions(SOURCES).values()), {self.version()}, release.versions(SOURCES))

    def test_a_good_tree(self):
        done = self.run_release(self.version())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.made(), ["test", "packages", "packages-aarch64"])
        self.assertIn(f"git tag -s v{self.version()} ", done.stdout)
        said = (self.root / release.NOTES).read_text(encoding="utf-8")
        self.assertTrue(said.startswith(f"topowise {self.version()}\n\n"), said[:100])
        self.assertIn("### Record a job", said)

    def test_words(self):
        for wrong in ("", "1.0", "v0.1.0"):
            self.assert_refused(wrong, "usage: make release VERSION=X.Y.Z")
        self.assertEqual(self.made(), [])

    def test_another_version(self):
        self.assert_refused("7.8.9", "CITATION.cff says " + self.version())
        self.assert_refused("7.8.9", "CHANGELOG.md has no heading '## [7.8.9] - DATE'")
        self.assertEqual(self.made(), [])

    def test_no_date(self):
        self.heading("unreleased")
        self.git("commit", "-qam", "no date")
        self.assert_refused(self.version(), "no date: 'unreleased'")
        self.assertEqual(self.made(), [])

    def test_uncommitted_files(self):
        (self.root / "new file").write_text("")
        self.assert_refused(self.version(), "not committed: \"new file\"")
        (self.root / "new file").unlink()
        self.change("README.md", "topowise", "Topowise")
        self.assert_refused(self.version(), "not committed: README.md")
        self.assertEqual(self.made(), [])

    def test_a_tag_that_is_there(self):
        self.git("tag", f"v{self.version()}")
        self.assert_refused(self.version(), f"the tag v{self.version()} is there already")

    def test_failures(self):
        for target, made in (("test", ["test"]), ("packages", ["test", "packages"]), ("packages-aarch64", ["test", "packages", "packages-aarch64"])):
            (self.root / "build" / f"no-{target}").write_text("")
            self.assert_refused(self.version(), f"make {target} failed")
            self.assertEqual(self.made(), made)
            (self.root / "build" / f"no-{target}").unlink()
            (self.root / "build" / "made").unlink()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
