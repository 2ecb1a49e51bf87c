#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Recipes of docs/recipes/add-*.md are proven by changes that were made by their steps: tests/recipes/NAME.patch.

    recipes_test.py [NAME ...]              each patch touches only files that its page names; applied to a copy of the sources, all keep the laws
    recipes_test.py --build [NAME ...]      also builds in a copy for each patch what it names as `Build:`, and runs what it names as `Test:` (minutes)

A patch that does not apply any more needs to be made anew: apply its hunks by hand, and write `git diff -U1` below its first lines.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATCHES = ROOT / "tests" / "recipes"
LIST = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
SKIPPED = 77


def run(command, folder, **options):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **options)


def named_by(page):
    """Patterns of the paths that a recipe names. NAME (or *) is the name of the new member, and a folder holds files of that name."""
    text = page.read_text(encoding="utf-8")
    links = [str((page.parent / link).resolve().relative_to(ROOT)) for link in re.findall(r"\]\(([\w./-]+\.md)", text)]
    paths = links + re.findall(r"`([\w./-]*[/.][\w./-]+)`", text)
    files_of_member = [path for path in paths if "NAME" in path and "/" not in path]
    for path in list(paths):
        if path.endswith("/"):
            paths += [path + name for name in files_of_member]
    return [re.sub(r"NAME|\\\*", r"\\w+", re.escape(path)) for path in paths]


def apply(patch, copy):
    applied = run(["git", "apply", "--unidiff-zero", str(patch)], copy)
    return [f"{patch.name} does not apply: {applied.stderr.strip()}"] if applied.returncode else []


def strangers(patch):
    """The files that the patch touches and its page does not name."""
    page = ROOT / "docs" / "recipes" / f"{patch.stem}.md"
    patterns = named_by(page)
    for path in re.findall(r"^\+\+\+ b/(.*)", patch.read_text(encoding="utf-8"), re.M):
        if not any(re.fullmatch(each, path) for each in patterns):
            yield f"{patch.name} touches {path}, which {page.relative_to(ROOT)} does not name"


def breaches_of_laws(copy):
    for check in ("tools/check_laws.py", "tools/check_links.py"):
        kept = run([sys.executable, check], copy)
        if kept.returncode:
            yield f"{check}: {kept.stdout.strip() or kept.stderr.strip()}"


def built(patch, copy):
    """What is wrong with what the patch makes."""
    text = patch.read_text(encoding="utf-8")
    targets = " ".join(re.findall(r"^Build: (.*)", text, re.M)).split()
    build = copy / "build" / "recipe"
    configured = ["cmake", "-S", ".", "-B", str(build), "-G", "Ninja", "-DBUILD_TESTING=ON", "-DTOPOWISE_PRECOMPILE=ON", "-DTOPOWISE_UNITY=ON", "-DCMAKE_BUILD_TYPE=Debug",
                  "-DCMAKE_CXX_FLAGS_DEBUG=-O0"]
    for command in (configured, ["cmake", "--build", str(build), "--target", *targets]):
        made = run(command, copy)
        if made.returncode:
            yield f"{' '.join(command)}: {(made.stdout + made.stderr)[-3000:]}"
            return
    for test in re.findall(r"^Test: (.*)", text, re.M):
        words = [str(build / "bin" / word) if word in targets else word for word in test.split()]
        tried = run(words, copy)
        if tried.returncode or "test cases: 0 " in re.sub(" +", " ", tried.stdout):
            yield f"{test}: {(tried.stdout + tried.stderr)[-3000:]}"


class Copy(tempfile.TemporaryDirectory):
    """A folder with the files that belong to the sources."""

    def __enter__(self):
        copy = pathlib.Path(super().__enter__())
        for name in filter(None, run(LIST, ROOT).stdout.split("\0")):
            if (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name)
        return copy


def main():
    words = [word for word in sys.argv[1:] if word != "--build"]
    patches = [PATCHES / f"{word}.patch" for word in words] or sorted(PATCHES.glob("*.patch"))
    if run(LIST, ROOT).returncode:
        print("SKIPPED: the sources are no clone, so which files belong to them is not known")
        return SKIPPED
    found = [stranger for patch in patches for stranger in strangers(patch)]
    with Copy() as copy:
        for patch in patches:
            found += apply(patch, copy)
        found += breaches_of_laws(copy)
    if "--build" in sys.argv:
        for patch in patches:
            with Copy() as copy:
                found += apply(patch, copy) or built(patch, copy)
    print("\n".join(found) or f"ok: {', '.join(patch.stem for patch in patches)}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
