"""Members of a family (mappers, formats, drivers) never include each other; one table knows them all.

The members are read from the table: the headers that it includes and that declare a name of its array.
"""

import re

from laws.structure import FAMILIES


def members(tree, family):
    table = tree.by_name[family["table"]]
    array = re.search(rf"\b{family['array']}\b\s*\{{(.*?)\}};", table.code, re.S)
    names = set(re.findall(r"\b[A-Za-z_]\w+\b", array.group(1))) if array else set()
    found = set()
    for _, header in table.includes:
        source = tree.by_name.get(header)
        if source and source.unit != table.unit and source.folder.split("/")[0] == table.folder.split("/")[0]:
            declared = set(re.findall(r"\b(\w+)\s*\(", source.code)) | set(re.findall(r"\bconst\w* +\w+ (k\w+)", source.code))
            if declared & names:
                found.add(source.unit)
    return found


def breaches(tree):
    for family in FAMILIES:
        if family["table"] not in tree.by_name:
            continue
        units = members(tree, family)
        if len(units) < 2:
            yield f"{family['table']}: no members are found in its array '{family['array']}'"
        for source in tree.product:
            if source.name == family["table"] or source.name in family["also"]:
                continue
            for number, header in source.includes:
                unit = header.rsplit(".", 1)[0]
                if unit in units and unit != source.unit and source.unit in units:
                    yield f"{source.name}:{number}: a member of its family must not include another, '{unit}'"
