"""`topowise help environment` names every variable TOPOWISE_... that the product reads or sets."""

import re

TABLE = "topowise/cli/topics.cpp"
_NAME = re.compile(r'"(TOPOWISE_[A-Z0-9_]+)"')


def breaches(tree):
    table = {name for source in tree.product if source.name == TABLE for name in _NAME.findall(source.text)}
    for source in tree.product:
        for number, line in enumerate(source.lines, 1):
            for name in _NAME.findall(line):
                if name not in table:
                    yield f"{source.name}:{number}: {name} is missing in {TABLE}"
