# SPDX-License-Identifier: BSD-3-Clause
"""A training job of tensor, pipeline and data parallelism on gloo: TP shards fastest, then DP replicas, then PP stages, as Megatron-LM has it.

    torchrun ... torchrun_job.py OUT [STEPS]      each rank writes OUT/RANK.json: its host, its losses, the seconds of each step

Each stage is two layers of a perceptron whose hidden numbers the TP ranks share. Runs with every PyTorch from 1.13 on.
"""

import json
import os
import pathlib
import sys
import time

import torch
import torch.distributed as dist

TP = PP = 2
WIDTH = 256
BATCH = 16


class Summed(torch.autograd.Function):
    """The sum over the TP ranks; backward, each keeps its own part."""

    @staticmethod
    def forward(ctx, partial, group):
        total = partial.clone()
        dist.all_reduce(total, group=group)
        return total

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None


class Shared(torch.autograd.Function):
    """The input of the TP ranks' parts; backward, their gradients are summed."""

    @staticmethod
    def forward(ctx, whole, group):
        ctx.group = group
        return whole.clone()

    @staticmethod
    def backward(ctx, gradient):
        total = gradient.clone()
        dist.all_reduce(total, group=ctx.group)
        return total, None


class Stage(torch.nn.Module):
    def __init__(self, stage, shard, group):
        super().__init__()
        self.group = group
        torch.manual_seed(1000 * stage + shard)
        self.up = torch.nn.ModuleList(torch.nn.Linear(WIDTH, 4 * WIDTH // TP, bias=False) for _ in range(2))
        self.down = torch.nn.ModuleList(torch.nn.Linear(4 * WIDTH // TP, WIDTH, bias=False) for _ in range(2))

    def forward(self, x):
        for up, down in zip(self.up, self.down):
            x = x + Summed.apply(down(torch.relu(up(Shared.apply(x, self.group)))), self.group)
        return x


def groups(rank, size):
    """(TP group, DP group) of this rank; every rank makes all groups."""
    replicas = size // (TP * PP)
    own = []
    for number in range(size // TP):
        members = list(range(number * TP, (number + 1) * TP))
        made = dist.new_group(members)
        own += [made] if rank in members else []
    for stage in range(PP):
        for shard in range(TP):
            members = [(stage * replicas + replica) * TP + shard for replica in range(replicas)]
            made = dist.new_group(members)
            own += [made] if rank in members else []
    return own


def step(model, stage, to, inputs, targets, replicas, dp):
    """One step; returns the loss on the last stage."""
    loss = None
    if stage == 0:
        out = model(inputs)
        dist.send(out.detach(), to)
        gradient = torch.empty_like(out)
        dist.recv(gradient, to)
        out.backward(gradient)
    else:
        received = torch.empty(BATCH, WIDTH)
        dist.recv(received, to)
        received.requires_grad_()
        loss = ((model(received) - targets) ** 2).mean()
        loss.backward()
        dist.send(received.grad, to)
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, group=dp)
        with torch.no_grad():
            parameter -= 1e-2 / replicas * parameter.grad
        parameter.grad = None
    return None if loss is None else float(loss.detach())


def main():
    out, steps = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 6
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    replicas = size // (TP * PP)
    stage, replica, shard = rank // (TP * replicas), rank // TP % replicas, rank % TP
    tp, dp = groups(rank, size)
    model = Stage(stage, shard, tp)
    to = rank + TP * replicas if stage == 0 else rank - TP * replicas
    draw = torch.Generator().manual_seed(replica)
    losses, seconds = [], []
    for _ in range(steps):
        inputs, targets = torch.randn(BATCH, WIDTH, generator=draw), torch.randn(BATCH, WIDTH, generator=draw)
        dist.barrier()
        begin = time.perf_counter()
        losses.append(step(model, stage, to, inputs, targets, replicas, dp))
        dist.barrier()
        seconds.append(time.perf_counter() - begin)
    restarts = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))
    told = {"host": os.uname().nodename, "rank": rank, "losses": losses, "seconds": seconds, "restarts": restarts,
            "master": os.environ["MASTER_ADDR"], "node": int(os.environ["GROUP_RANK"])}  # fmt: skip
    (out / f"{rank}.new").write_text(json.dumps(told), encoding="utf-8")
    (out / f"{rank}.new").replace(out / f"{rank}.json")  # whole, for those who read it
    while (out / "wait").exists():  # the test ends an agent while the job is in a step
        dist.barrier()
        time.sleep(0.1)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
