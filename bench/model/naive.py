# SPDX-License-Identifier: BSD-3-Clause
"""The congestion model in the way in which its paper describes the authors' own program: with an object for every switch, port, arbiter
and communication (Martinasso et al., SC'16, section V-E). This program is slow and differs from topowise/predict on purpose. With
fractions.Fraction as number type it is the exact oracle of the tests; with float it is the baseline of the benchmark."""


class Communication:
    def __init__(self, source, destination, size=1, start=0):
        self.source, self.destination, self.size, self.start = source, destination, size, start
        self.ports = []          # in the order of the path
        self.rho = {}            # port -> factor behind that port
        self.crosses_root_complex = False

    def before(self, port):
        """The factor with which the communication reaches the port."""
        at = self.ports.index(port)
        return self.rho[self.ports[at - 1]] if at else self.ports[0].capacity

    def arrives_by(self, port):
        at = self.ports.index(port)
        return self.ports[at - 1] if at else ("source", self.source)

    def after(self):
        return self.rho[self.ports[-1]]

    def ceiling(self):
        return min(p.capacity * (1 - p.tau if p.leaves_root_complex else 1) for p in self.ports)

    def rest_of_path(self, port):
        return self.ports[self.ports.index(port) + 1:]


class Arbiter:
    """The formulas of the model. Each port has an arbiter."""

    def upstream(self, port):  # equations 5 and 6
        wanted = sum(c.before(port) for c in port.communications)
        port.conflict = wanted > port.capacity
        for c in port.communications:
            c.rho[port] = c.before(port) * port.capacity / wanted if port.conflict else c.before(port)
        port.conflict = port.conflict and len(port.communications) > 1

    def downstream(self, port):  # equation 7
        groups = {}
        for c in port.communications:
            groups.setdefault(c.arrives_by(port), []).append(c)
        n = len(groups)
        behind = [g for g in groups if any(c.crosses_root_complex for c in groups[g])]
        loss = min(port.tau, port.one / n) if n else 0
        port.conflict = n > 1
        for arrival, members in groups.items():
            incoming = sum(c.before(port) for c in members)
            if port.leaves_root_complex:
                limit = (1 - port.tau) / n
            elif not behind or len(behind) == n:
                limit = port.one / n
            elif arrival in behind:
                limit = port.one / n - loss
            else:
                limit = port.one / n + loss * len(behind) / (n - len(behind))
            if n == 1 and len(members) > 1 and incoming > port.capacity:
                port.conflict = True
            outgoing = min(limit * port.capacity, incoming)
            for c in members:
                c.rho[port] = c.before(port) * outgoing / incoming if incoming else incoming

    def head_of_line(self, port):  # equation 8: the smallest factor that a communication of this port has at a later port in conflict
        if len(port.communications) < 2:
            return None
        later = [c.rho[p] for c in port.communications for p in c.rest_of_path(port) if p.conflict]
        return min(later) if later else None

    def freed(self, port, blocked):  # equation 9
        held = [c for c in port.communications if blocked[c] < c.after()]
        free = len(port.communications) - len(held)
        return sum(c.rho[port] - blocked[c] for c in held) / free if free and held else 0


class Port:
    """One direction of the link between a switch (or root complex) and one of its children."""

    def __init__(self, capacity, tau, leaves_root_complex):
        self.capacity, self.tau, self.leaves_root_complex = capacity, tau, leaves_root_complex
        self.one = capacity / capacity
        self.arbiter = Arbiter()
        self.communications = []
        self.conflict = False


class Switch:
    """A vertex of the tree. Devices are switches without children."""

    def __init__(self, is_root_complex=False, tau=0):
        self.is_root_complex, self.tau = is_root_complex, tau
        self.parent, self.depth, self.up, self.down = None, 0, None, None

    def attach(self, parent, up=1, down=1):
        self.parent, self.depth = parent, parent.depth + 1
        root = self.root()
        leaves = root.is_root_complex and parent is root
        tau = root.tau if root.is_root_complex else 0
        self.up, self.down = Port(up, tau, False), Port(down, tau, leaves)

    def root(self):
        return self if self.parent is None else self.parent.root()

    def ancestors(self):
        return [self] + (self.parent.ancestors() if self.parent else [])


class Model:
    def __init__(self, switches):
        self.switches = switches
        self.depth = max(s.depth for s in switches)

    def route(self, c):
        up, down = self.switches[c.source].ancestors(), self.switches[c.destination].ancestors()
        common = next(s for s in up if s in down)
        c.ports = [s.up for s in up[:up.index(common)]] + [s.down for s in reversed(down[:down.index(common)])]
        c.crosses_root_complex = common.is_root_complex

    def factors(self, active):
        """Algorithm 1 for communications that are active together, at most one for each source (step A)."""
        for s in self.switches:
            for port in (s.up, s.down):
                if port:
                    port.communications, port.conflict = [], False
        for c in active:
            self.route(c)
            for port in c.ports:
                port.communications.append(c)
        for depth in range(self.depth, 0, -1):
            for s in self.switches:
                if s.depth == depth:
                    s.up.arbiter.upstream(s.up)
        for depth in range(1, self.depth + 1):
            for s in self.switches:
                if s.depth == depth:
                    s.down.arbiter.downstream(s.down)
        ports = [p for s in self.switches if s.parent for p in (s.up, s.down) if p.communications]
        blocked = {c: c.after() for c in active}
        for port in ports:
            slowest = port.arbiter.head_of_line(port)
            for c in port.communications if slowest is not None else ():
                blocked[c] = min(blocked[c], slowest)
        extra = {port: port.arbiter.freed(port, blocked) for port in ports}
        final = {}
        for c in active:
            limiting = [p for p in c.ports if p.conflict or c.rho[p] < c.before(p)]
            if blocked[c] < c.after() or not limiting:
                final[c] = blocked[c]
            else:
                final[c] = max(c.after(), min(min(c.rho[p] + extra[p] for p in limiting), c.ceiling()))
        return self.guard(active, ports, blocked, final)

    @staticmethod
    def guard(active, ports, blocked, final):
        scale = {c: 1 for c in active}
        for port in ports:
            base = sum(blocked[c] for c in port.communications)
            gain = sum(final[c] - blocked[c] for c in port.communications)
            if gain and base + gain > port.capacity:
                for c in port.communications:
                    scale[c] = min(scale[c], (port.capacity - base) / gain)
        return [blocked[c] + (final[c] - blocked[c]) * scale[c] for c in active]

    def simulate(self, communications, bandwidth=1):
        """End times, in the order of the list (equations 1 to 3, with one active communication for each source)."""
        queues = {}
        for c in sorted(communications, key=lambda c: c.start):
            queues.setdefault(c.source, []).append(c)
        left = {c: c.size for c in communications}
        ends, active, now = {}, {}, min((c.start for c in communications), default=0)
        while queues or active:
            for source in [s for s in queues if s not in active]:
                while queues.get(source) and queues[source][0].start <= now and source not in active:
                    c = queues[source].pop(0)
                    if c.size == 0:
                        ends[c] = now
                    else:
                        active[source] = c
                if not queues[source]:
                    del queues[source]
            waiting = [q[0].start for s, q in queues.items() if s not in active]
            if not active:
                if waiting:
                    now = min(waiting)
                continue
            running = list(active.values())
            rates = [f * bandwidth for f in self.factors(running)]
            times = [now + left[c] / r for c, r in zip(running, rates) if r > 0] + waiting
            if not times:
                raise RuntimeError("no communication can move")
            after = min(times)
            for c, rate in zip(running, rates):
                left[c] -= (after - now) * rate
                if left[c] <= c.size * 1e-9:
                    ends[c] = after
                    del active[c.source]
            now = after
        return [ends[c] for c in communications]


def testbed(root_complex_switches=True, tau=21 / 121, one=1):
    """T2 of the paper, or T1 without `root_complex_switches`. Vertices 0..7 are the GPUs."""
    devices, boards = [Switch() for _ in range(8)], [Switch() for _ in range(4)]
    root = Switch(is_root_complex=True, tau=tau)
    middle = [Switch() for _ in range(2 if root_complex_switches else 1)]
    for s in middle:
        s.attach(root, one, one)
    for i, s in enumerate(boards):
        s.attach(middle[i // 2 if root_complex_switches else 0], one, one)
    for i, s in enumerate(devices):
        s.attach(boards[i // 2], one, one)
    return Model(devices + boards + middle + [root])


def main():
    """Measures the time of one 3D halo order on T2, for the ratio to model_bench's one_3d_order."""
    import time

    orders = [[4, 2, 1], [0, 3, 5], [3, 6, 0], [1, 7, 2], [5, 0, 6], [7, 1, 4], [2, 4, 7], [6, 5, 3]]
    model, runs, end = testbed(tau=21 / 121, one=1.0), 100, 0
    begin = time.process_time()
    for _ in range(runs):
        end = max(model.simulate([Communication(s, d, 1.0) for s, order in enumerate(orders) for d in order]))
    print(f"{(time.process_time() - begin) / runs * 1e3:.3f} ms an order; it ends at {end:.4f} (4.8958 expected)")


if __name__ == "__main__":
    main()
