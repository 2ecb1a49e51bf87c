"""docs/architecture.md draws every folder of topowise/ and none that does not exist. It also names the folders of tests/, bench/, python/ and docs/."""

import re

from laws.structure import LAYERS


def _breaches_beside(tree, text):
    """Outside topowise/ the description of a top folder names the folders in it, each with a slash."""
    for top in ("tests", "bench", "python", "docs"):
        described = re.search(rf"^{top}/ .*\n(?: .*\n)*", text, re.M)
        for path in sorted((tree.root / top).glob("*/")):
            named = described and re.search(rf"(?<![\w/]){path.name}/", described.group(0))
            if any(path.rglob("*.*")) and not path.name.startswith((".", "_")) and not named:
                yield f"docs/architecture.md: the folder '{top}/{path.name}' is missing"


def breaches(tree):
    page = tree.root / "docs" / "architecture.md"
    if not page.exists():
        return
    text = page.read_text(encoding="utf-8")
    match = re.search(r"^topowise/\n(.*?)^(?:tests/|```)", text, re.M | re.S)
    yield from _breaches_beside(tree, text)
    drawn = {}
    folder = ""
    for line in (match.group(1) if match else "").splitlines():
        entry = re.match(r"( +)([a-z_]+)/ ", line + " ")
        if not entry:
            continue
        if len(entry.group(1)) == 2:
            folder = entry.group(2)
            drawn[folder] = line
        else:
            drawn[f"{folder}/{entry.group(2)}"] = line
    real = {"/".join(source.folder.split("/")[:depth]) for source in tree.sources for depth in (1, 2)}
    for name in sorted(real - set(drawn)):
        yield f"docs/architecture.md: the folder '{name}' is missing in the tree"
    for name in sorted(set(drawn) - real):
        yield f"docs/architecture.md: there is no folder '{name}'"
    for deeper in sorted({source.folder for source in tree.sources if source.folder.count("/") > 1}):
        above, below = "/".join(deeper.split("/")[:2]), deeper.split("/")[-1]
        if not re.search(rf"\b{below}\b", drawn.get(above, below)):
            yield f"docs/architecture.md: the line of '{above}' does not name '{deeper}'"
    number_of = {folder: number for number, layer in enumerate(LAYERS, 1) for folder in layer}
    for name, line in drawn.items():
        said = re.search(r"\blayer (\d)", line)
        if "/" not in name and (not said or int(said.group(1)) != number_of.get(name)):
            yield f"docs/architecture.md: '{name}' is on layer {number_of.get(name)}"
