"""Each row of docs/models/sentences.md quotes words that the program prints, and names tests that exist; and each text that claims what a search, a proof
or a comparison can claim has a row."""

import re

# A text with these words claims something that a test can make false.
CLAIM = re.compile(
    r"\bproven\b|\boptim(?:al|um)\b|\bno (?:other )?mapping\b(?! and)|\b(?:can|may) help\b|\bas mapped\b|\bequally far\b|\bto gain\b|\bas good as\b"
    r"|(?<![\w.{-])best\b(?!\.)|\bless predicted time\b|\b(?:fewer|faster|smaller) than\b|\bcannot (?:copy|open|read|use) (?:from|each other|the GPU|memory)|\bare alike\b|\bconnects\b"
)
# Texts that explain an option, a metric or a pattern, and claim nothing about a machine.
HELP = (
    "'{}' is smaller than it says",
    "All messages are ready at the start",
    "also predict phases",
    "best mapping so far and exit status 130",
    "branch and bound: proves",
    "by default a twentieth",
    "cannot read each other",
    "exact where it can finish",
    "finds the best order of one exchange",
    "hosts are equally far from each other if none of them knows it",
    "or all pairs alike",
    "population of tabu searches",
    "prints NONE where nothing connects",
    "the search looks for the best order only",
    "try every order",
    "without 'path' and a topology all hosts are equally far",
    "without a description hosts are equally far",
    "write the exchange in the best order",
)
LITERALS = re.compile(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+')
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
COMMENT = re.compile(r"^\s*(?://|#|\"\"\").*$", re.M)


def texts_of(path):
    """The texts of a source, those beside each other as one."""
    for found in LITERALS.finditer(COMMENT.sub("", path.read_text(encoding="utf-8"))):
        yield "".join(LITERAL.findall(found.group()))


def sources(tree):
    yield from (path for path in sorted((tree.root / "topowise").rglob("*.cpp")) if not path.stem.endswith("_test"))
    yield from sorted((tree.root / "python" / "topowise").glob("*.py"))


def breaches(tree):
    page = tree.root / "docs" / "models" / "sentences.md"
    if not page.exists():
        return
    quoted = []
    texts = [(path.relative_to(tree.root), text) for path in sources(tree) for text in texts_of(path)]
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        cells = [cell.strip() for cell in line.split(" | ")]
        words = re.findall(r"`([^`]+)`", cells[0]) if line.startswith("| `") else []
        if len(cells) != 3 or not words:
            continue
        quoted += words
        for each in words:
            if not any(each in text for _, text in texts):
                yield f"docs/models/sentences.md:{number}: the program does not print '{each}'"
        tests = re.findall(r'`([\w/.-]+)` "([^"]+)"', cells[2])
        if not tests:
            yield f"docs/models/sentences.md:{number}: no test is named"
        for file, text in tests:
            path = tree.root / file
            if not path.is_file() or text not in path.read_text(encoding="utf-8"):
                yield f"docs/models/sentences.md:{number}: there is no test '{text}' in {file}"
    for path, text in texts:
        if CLAIM.search(text) and text != "best" and not any(each in text for each in (*quoted, *HELP)):
            yield f"{path}: no row of docs/models/sentences.md says what '{text[:80]}' rests on"
