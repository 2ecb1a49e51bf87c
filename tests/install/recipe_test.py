#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of a recipe, as the page has them, in a copy of the sources without any build:  recipe_test.py SOURCES PAGE

Runs the first block of commands of PAGE. Fails where a command fails, or prints nothing of what the recipe promises.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def copy_of_sources(source, folder):
    """The files of `source` that git knows: no built files come along. Without git: everything but build trees."""
    listed = subprocess.run(["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=False)
    if listed.returncode != 0:
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("build", ".deps"), symlinks=True, dirs_exist_ok=True)
        return
    for name in filter(None, listed.stdout.decode().split("\0")):
        if not (source / name).exists():
            continue  # deleted, but the deletion is not committed
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / name, folder / name, follow_symlinks=False)


def main():
    source, page = map(pathlib.Path, sys.argv[1:])
    commands = re.search(r"^```\w*\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL).group(1)
    with tempfile.TemporaryDirectory() as folder:
        copy_of_sources(source, pathlib.Path(folder))
        job = subprocess.run(["bash", "-euxo", "pipefail", "-c", commands], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        print(job.stdout[-6000:])
        if job.returncode != 0:
            sys.exit(f"{page}: exit status {job.returncode}")
        if "SIMULATED" not in job.stdout or not (pathlib.Path(folder) / "measured.json").is_file():
            sys.exit(f"{page}: no simulated GPU was seen, or nothing was measured")


if __name__ == "__main__":
    main()
