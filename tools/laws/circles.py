"""No two files include each other, neither directly nor through other files. A header and its implementation count as one file."""


def strongly_connected(edges):
    """Tarjan's algorithm. Gives only the components of two or more files, each sorted."""
    number, low, on_stack, stack, found = {}, {}, set(), [], []

    def visit(unit):
        number[unit] = low[unit] = len(number)
        stack.append(unit)
        on_stack.add(unit)
        for other in sorted(edges.get(unit, ())):
            if other not in number:
                visit(other)
                low[unit] = min(low[unit], low[other])
            elif other in on_stack:
                low[unit] = min(low[unit], number[other])
        if low[unit] == number[unit]:
            component = []
            while True:
                top = stack.pop()
                on_stack.discard(top)
                component.append(top)
                if top == unit:
                    break
            if len(component) > 1:
                found.append(sorted(component))

    for unit in sorted(edges):
        if unit not in number:
            visit(unit)
    return found


def breaches(tree):
    edges = {}
    for source in tree.product:
        for _, header in source.includes:
            unit = header.rsplit(".", 1)[0]
            if header.startswith("topowise/") and unit != source.unit:
                edges.setdefault(source.unit, set()).add(unit)
    for component in strongly_connected(edges):
        yield "these files include each other in a circle: " + ", ".join(component)
