#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prepares a release:  make release VERSION=X.Y.Z

Refuses a version that any file contradicts, a changelog without a dated part for it, a tree with uncommitted files, and a tag that is there already.
Then runs `make test`, `make packages` and `make packages-aarch64`. Writes what the tag says to build/release-notes.md, and prints the command that makes the tag. It makes no tag
and uploads nothing.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
NOTES = "build/release-notes.md"
# Every file that states the version, and how.
STATED = {
    "CMakeLists.txt": r"^project\(topowise VERSION (\S+)",
    "CITATION.cff": r"^version: (\S+)$",
    "CHANGELOG.md": r"^## \[(\d\S*)\]",
    "packaging/conda/recipe.yaml": r"^  version: \"?([^\"\s]+)\"?$",
    "packaging/Containerfile": r"^ARG VERSION=(\S+)$",
    "spack/packages/topowise/package.py": r"^    version\(\"(\d[^\"]*)\"",
    "README.md": r"topowise-(\d+\.\d+\.\d+)-linux",
}


def versions(root):
    """The version that each file states first, or None."""
    found = {}
    for name, pattern in STATED.items():
        match = re.search(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE)
        found[name] = match and match.group(1)
    return found


def notes(root, version):
    """The changelog's date and text of a version; None where it has none."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    part = re.search(rf"^## \[{re.escape(version)}\] - ([^\n]*)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return part.groups() if part else None


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)


def obstacles(version):
    """What keeps this tree from being released, one line each."""
    found = [f"{name} says {stated or 'no version'}" for name, stated in versions(ROOT).items() if stated != version]
    part = notes(ROOT, version)
    if part is None:
        found.append(f"CHANGELOG.md has no heading '## [{version}] - DATE'")
    elif not re.fullmatch(r"\d{4}-\d{2}-\d{2}", part[0]):
        found.append(f"CHANGELOG.md gives {version} no date: '{part[0]}', not YYYY-MM-DD")
    elif not part[1].strip():
        found.append(f"CHANGELOG.md says nothing of {version}")
    state = git("status", "--porcelain")
    if state.returncode != 0:
        found.append("this is no clone: a release is made from a commit")
    elif state.stdout:
        found.append("there are files that are not committed: " + ", ".join(line[3:] for line in state.stdout.splitlines()))
    if git("rev-parse", "--verify", "--quiet", f"refs/tags/v{version}").returncode == 0:
        found.append(f"the tag v{version} is there already")
    return found


def main():
    version = sys.argv[1] if len(sys.argv) == 2 else ""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        print("usage: make release VERSION=X.Y.Z", file=sys.stderr)
        return 2
    if found := obstacles(version):
        print(f"{version} cannot be released:", *found, sep="\n  ", file=sys.stderr)
        return 1
    commit = git("rev-parse", "HEAD").stdout
    for target in ("test", "packages", "packages-aarch64"):
        if subprocess.run(["make", "--no-print-directory", target], cwd=ROOT, check=False).returncode != 0:
            print(f"{version} cannot be released: make {target} failed", file=sys.stderr)
            return 1
    if git("status", "--porcelain").stdout or git("rev-parse", "HEAD").stdout != commit:
        print(f"{version} cannot be released: the tree changed while it was tested", file=sys.stderr)
        return 1
    (ROOT / NOTES).parent.mkdir(exist_ok=True)
    (ROOT / NOTES).write_text(f"topowise {version}\n\n{notes(ROOT, version)[1].strip()}\n", encoding="utf-8")
    print(f"topowise {version} is ready in build/packages. The tag:\n  git tag -s v{version} --cleanup=verbatim -F {NOTES} {commit.strip()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
