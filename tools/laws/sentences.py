"""Each row of docs/models/sentences.md quotes words that the program prints, and names tests that exist."""

import re


def breaches(tree):
    page = tree.root / "docs" / "models" / "sentences.md"
    if not page.exists():
        return
    product = [path.read_text(encoding="utf-8") for path in sorted((tree.root / "topowise").rglob("*.cpp")) if not path.stem.endswith("_test")]
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        cells = [cell.strip() for cell in line.split(" | ")]
        words = re.fullmatch(r"\| `([^`]+)`", cells[0])
        if len(cells) != 3 or not words:
            continue
        if not any(words.group(1) in text for text in product):
            yield f"docs/models/sentences.md:{number}: the program does not print '{words.group(1)}'"
        tests = re.findall(r'`([\w/.]+)` "([^"]+)"', cells[2])
        if not tests:
            yield f"docs/models/sentences.md:{number}: no test is named"
        for file, text in tests:
            path = tree.root / file
            if not path.is_file() or text not in path.read_text(encoding="utf-8"):
                yield f"docs/models/sentences.md:{number}: there is no test '{text}' in {file}"
