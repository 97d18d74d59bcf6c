#!/usr/bin/env python3
"""Training steps of two multilayer perceptrons in Pleiad and in PyTorch, in turn, on the same cores.

    python3 tests/bench/peers/mlp.py [--rounds 7] [--step-bench build/release/tests/bench/step_bench]

Needs PyTorch (pip install torch). Each round runs Pleiad, then PyTorch with the thread count that was fastest in a
first try; both time whole steps (forward, backward, fused AdamW) on data already in memory. Prints medians of the
rounds' medians and the median of the ratios taken round by round. PyTorch is tried eager and compiled.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

WORKLOADS = [([784, 512, 256, 10], 128, 300), ([784, 2048, 2048, 10], 512, 40)]


def torch_child(widths, batch, steps, threads, compiled):
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(1)
    layers = []
    for i, (a, b) in enumerate(zip(widths, widths[1:])):
        layers += [torch.nn.Linear(a, b)] + ([torch.nn.ReLU()] if i + 2 < len(widths) else [])
    model = torch.nn.Sequential(*layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0, fused=True)
    loss_of = torch.nn.CrossEntropyLoss()
    x, y = torch.rand(batch, widths[0]), torch.randint(widths[-1], (batch,))

    def forward():
        return loss_of(model(x), y)

    if compiled:
        forward = torch.compile(forward)
    times = []
    for _ in range(steps + 10):
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        forward().backward()
        optimizer.step()
        times.append(1e6 * (time.perf_counter() - start))
    return statistics.median(times[10:])


def torch_step(widths, batch, steps, threads, compiled):
    words = [sys.executable, __file__, "--child", json.dumps([widths, batch, steps, threads, compiled])]
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="true")
    done = subprocess.run(words, env=env, capture_output=True, text=True)
    return float(done.stdout.split()[-1]) if done.returncode == 0 else float("inf")


def pleiad_step(program, widths, batch, steps):
    words = [program, "-".join(map(str, widths)), str(batch), str(steps)]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def compare(program, widths, batch, steps, rounds):
    cores = len(os.sched_getaffinity(0))
    tries = [(threads, compiled) for threads in {1, cores} for compiled in (False, True)]
    best = min(tries, key=lambda t: torch_step(widths, batch, steps // 2, *t))
    ours, theirs, share = [], [], []
    for _ in range(rounds):
        result = pleiad_step(program, widths, batch, steps)
        ours.append(result["step_us"])
        share.append(result["gemm_share_of_peak"])
        theirs.append(torch_step(widths, batch, steps, *best))
    ratio = statistics.median(t / o for t, o in zip(theirs, ours))
    print(f"{'-'.join(map(str, widths)):>20} {batch:6} {statistics.median(ours) / 1e3:10.2f} ms "
          f"{statistics.median(theirs) / 1e3:10.2f} ms {ratio:8.2f}x {100 * statistics.median(share):12.0f} %   "
          f"torch: {best[0]} threads, {'compiled' if best[1] else 'eager'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--step-bench", default="build/release/tests/bench/step_bench")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        print(torch_child(*json.loads(args.child)))
        return
    print(f"{'network':>20} {'batch':>6} {'Pleiad':>13} {'PyTorch':>13} {'ratio':>9} {'of GEMM peak':>14}")
    for widths, batch, steps in WORKLOADS:
        compare(args.step_bench, widths, batch, steps, args.rounds)


if __name__ == "__main__":
    main()
