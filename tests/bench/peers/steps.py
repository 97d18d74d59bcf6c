#!/usr/bin/env python3
"""Training steps of five networks in Pleiad and in PyTorch, in turn, on the same cores.

    python3 tests/bench/peers/steps.py [--rounds 7] [--only gpt] [--step-bench build/release/tests/bench/step_bench]

Needs PyTorch, numpy and safetensors (pip install torch numpy safetensors). Both programs start from the same weights,
which Pleiad writes, and take the same batch; the losses of the first steps must agree. Each round runs Pleiad, then
PyTorch in its best setting (threads, eager or compiled, channels-last or not: found in a first try). Steps are forward,
backward and fused AdamW on data already in memory. Prints medians of the rounds' medians, the median of the ratios taken
round by round, and how far Pleiad is from its floor on this machine (see step_bench.cpp).
"""
import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

LR = 1e-3
WORKLOADS = {
    "mlp": dict(keys={"model.kind": "mlp", "model.hidden": "[2048,2048]", "train.batch": 512}, sample=(28, 28), classes=10,
                steps=40),
    "fmnist-mlp": dict(keys={"model.kind": "mlp", "model.hidden": "[512,256]", "train.batch": 256}, sample=(28, 28),
                       classes=10, steps=300),
    "cnn": dict(keys={"model.kind": "cnn", "model.channels": "[16,32,64]", "model.blocks": 1, "train.batch": 128},
                sample=(32, 32, 3), classes=10, steps=30),
    "lstm": dict(keys={"model.kind": "lstm", "model.layers": 1, "model.width": 512, "model.context": 64, "train.batch": 64},
                 classes=256, steps=20),
    "gpt": dict(keys={"model.kind": "gpt2", "model.layers": 4, "model.width": 256, "model.heads": 8, "model.context": 256,
                      "train.batch": 8}, classes=4096, steps=30),
}


def pleiad_step(program, work, steps, weights="", losses=0):
    words = [program, "--optim.lr", str(LR), "--classes", str(work["classes"]), "--steps", str(steps),
             "--losses", str(losses)]
    if "sample" in work:
        words += ["--sample", "x".join(map(str, work["sample"]))]
    if weights:
        words += ["--weights", weights]
    for key, value in work["keys"].items():
        words += [f"--{key}", str(value)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


# What a child process does: PyTorch alone.

def mixed(first, count):
    import numpy

    i = numpy.arange(first, first + count, dtype=numpy.uint64)
    return (((i + 1) * 2654435761) & 0xFFFFFFFF).astype(numpy.uint32)


def batch_of(work):
    import numpy
    import torch

    keys, classes, n = work["keys"], work["classes"], work["keys"]["train.batch"]

    def ids(shape, first):
        count = int(numpy.prod(shape))
        return torch.from_numpy(((mixed(first, count) >> 7) % classes).astype(numpy.int64)).reshape(shape)

    if "model.context" in keys:
        shape = (n, keys["model.context"])
        return ids(shape, 0), ids(shape, 1)
    shape = (n, *work["sample"])
    x = mixed(0, int(numpy.prod(shape))).astype(numpy.float64) * 2.0**-32
    return torch.from_numpy(x.astype(numpy.float32)).reshape(shape), ids((n,), 1)


def mlp(p, x, work):
    import torch.nn.functional as F

    layers, x = len(p) // 2, x.flatten(1)
    for i in range(layers):
        x = F.linear(x, p[f"layers.{i}.weight"], p[f"layers.{i}.bias"])
        x = F.relu(x) if i + 1 < layers else x
    return x


def cnn(p, x, work):
    import torch.nn.functional as F

    def conv_bn(x, conv, bn, stride, padding):
        x = F.conv2d(x, p[f"{conv}.weight"], stride=stride, padding=padding)
        return F.batch_norm(x, None, None, p[f"{bn}.weight"], p[f"{bn}.bias"], training=True)

    x = F.relu(conv_bn(x.permute(0, 3, 1, 2), "conv1", "bn1", 1, 1))
    for stage in range(len(json.loads(work["keys"]["model.channels"]))):
        for block in range(work["keys"]["model.blocks"]):
            name, stride = f"layer{stage + 1}.{block}", 2 if stage > 0 and block == 0 else 1
            y = F.relu(conv_bn(x, f"{name}.conv1", f"{name}.bn1", stride, 1))
            y = conv_bn(y, f"{name}.conv2", f"{name}.bn2", 1, 1)
            if f"{name}.downsample.0.weight" in p:
                x = conv_bn(x, f"{name}.downsample.0", f"{name}.downsample.1", stride, 0)
            x = F.relu(x + y)
    return F.linear(x.mean((2, 3)), p["fc.weight"], p["fc.bias"])


def gpt(p, ids, work):
    import torch.nn.functional as F

    keys = work["keys"]
    width, heads = keys["model.width"], keys["model.heads"]

    def norm(x, name):
        return F.layer_norm(x, (width,), p[f"{name}.weight"], p[f"{name}.bias"])

    h = p["transformer.wte.weight"][ids] + p["transformer.wpe.weight"]
    for layer in range(keys["model.layers"]):
        name = f"transformer.h.{layer}"
        qkv = F.linear(norm(h, f"{name}.ln_1"), p[f"{name}.attn.qkv.weight"], p[f"{name}.attn.qkv.bias"])
        q, k, v = (t.reshape(*t.shape[:2], heads, -1).transpose(1, 2) for t in qkv.split(width, -1))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        h = h + F.linear(a, p[f"{name}.attn.c_proj.weight"].flatten(1), p[f"{name}.attn.c_proj.bias"])
        m = F.linear(norm(h, f"{name}.ln_2"), p[f"{name}.mlp.c_fc.weight"], p[f"{name}.mlp.c_fc.bias"])
        m = F.gelu(m, approximate="tanh")
        h = h + F.linear(m, p[f"{name}.mlp.c_proj.weight"], p[f"{name}.mlp.c_proj.bias"])
    return F.linear(norm(h, "transformer.ln_f"), p["transformer.wte.weight"])


def lstm_of(p, work):
    import torch

    layers, width = work["keys"]["model.layers"], work["keys"]["model.width"]
    rnn = torch.nn.LSTM(p["embed.weight"].shape[1], width, layers, batch_first=True)
    with torch.no_grad():
        for name, parameter in rnn.named_parameters():
            parameter.copy_(p[f"rnn.{name}"])
            p[f"rnn.{name}"] = parameter

    def forward(p, ids, work):
        return torch.nn.functional.linear(rnn(p["embed.weight"][ids])[0], p["head.weight"], p["head.bias"])

    return forward


def fuse_qkv(p):
    """One matrix for queries, keys and values is faster in PyTorch."""
    import torch

    for name in [n for n in p if n.endswith("attn.q_proj.weight")]:
        base = name.removesuffix("q_proj.weight")
        for kind in ("weight", "bias"):
            parts = [p.pop(f"{base}{x}_proj.{kind}") for x in "qkv"]
            width = parts[0].shape[-1] if kind == "weight" else 1
            p[f"{base}qkv.{kind}"] = torch.cat([t.reshape(-1, width) for t in parts]).squeeze(-1 if kind == "bias" else ())


def torch_child(work, weights, steps, setting, losses):
    import torch
    from safetensors.torch import load_file

    torch.set_num_threads(setting["threads"])
    p = load_file(weights)
    p = {name: tensor for name, tensor in p.items() if "running_" not in name}
    kind = work["keys"]["model.kind"]
    if kind == "gpt2":
        fuse_qkv(p)
    if setting["channels_last"]:
        p = {n: t.contiguous(memory_format=torch.channels_last) if t.dim() == 4 else t for n, t in p.items()}
    forward = lstm_of(p, work) if kind == "lstm" else {"mlp": mlp, "cnn": cnn, "gpt2": gpt}[kind]
    p = {n: t if isinstance(t, torch.nn.Parameter) else torch.nn.Parameter(t) for n, t in p.items()}
    optimizer = torch.optim.AdamW(p.values(), lr=LR, weight_decay=0.0, fused=True)
    x, y = batch_of(work)

    def loss_of():
        return torch.nn.functional.cross_entropy(forward(p, x, work).flatten(0, -2), y.flatten())

    run = torch.compile(loss_of) if setting["compiled"] else loss_of
    times, seen = [], []
    warm_up = min(10, steps // 2)
    for _ in range(steps + warm_up):
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = run()
        loss.backward()
        optimizer.step()
        times.append(1e6 * (time.perf_counter() - start))
        if len(seen) < losses:
            seen.append(loss.item())
    return {"step_us": statistics.median(times[warm_up:]), "losses": seen}


def torch_step(work, weights, steps, setting, losses=0):
    words = [sys.executable, __file__, "--child", json.dumps([work, weights, steps, setting, losses])]
    # Memory that is kept and huge pages: what PyTorch's tuning guide asks for.
    env = dict(os.environ, OMP_NUM_THREADS=str(setting["threads"]), OMP_PROC_BIND="true", KMP_AFFINITY="granularity=fine",
               MALLOC_TRIM_THRESHOLD_="1000000000", MALLOC_MMAP_THRESHOLD_="1000000000",
               GLIBC_TUNABLES="glibc.malloc.hugetlb=1")
    done = subprocess.run(words, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        return {"step_us": float("inf"), "losses": [], "why": done.stderr[-500:]}
    return json.loads(done.stdout.splitlines()[-1])


def settings_of(work):
    cores = len(os.sched_getaffinity(0))
    images = work["keys"]["model.kind"] == "cnn"
    for threads, compiled, channels_last in itertools.product({1, cores}, (False, True), (False, True) if images else (False,)):
        yield {"threads": threads, "compiled": compiled, "channels_last": channels_last}


def compare(program, name, work, rounds):
    with tempfile.TemporaryDirectory() as folder:
        weights = os.path.join(folder, "weights.safetensors")
        first = pleiad_step(program, work, 5, weights, losses=5)
        tries = {json.dumps(s): torch_step(work, weights, max(4, work["steps"] // 4), s, losses=5) for s in settings_of(work)}
        best = json.loads(min(tries, key=lambda s: tries[s]["step_us"]))
        if tries[json.dumps(best)]["step_us"] == float("inf"):
            raise SystemExit(f"{name}: PyTorch failed\n{tries[json.dumps(best)]['why']}")
        worst = max(abs(a / b - 1) for a, b in zip(first["losses"], tries[json.dumps(best)]["losses"]))
        ours, theirs, floors = [], [], []
        for _ in range(rounds):
            result = pleiad_step(program, work, work["steps"])
            ours.append(result["step_us"])
            floors.append(result["times_floor"])
            theirs.append(torch_step(work, weights, work["steps"], best)["step_us"])
    ratio = statistics.median(t / o for t, o in zip(theirs, ours))
    setting = f"{best['threads']} threads, {'compiled' if best['compiled'] else 'eager'}"
    setting += ", channels last" if best["channels_last"] else ""
    print(f"{name:>12} {statistics.median(ours) / 1e3:9.2f} ms {statistics.median(theirs) / 1e3:9.2f} ms {ratio:7.2f}x "
          f"{statistics.median(floors):9.2f}x {worst:12.1e}   torch: {setting}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", help="names, separated by commas: " + ", ".join(WORKLOADS))
    parser.add_argument("--step-bench", default="build/release/tests/bench/step_bench")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        print(json.dumps(torch_child(*json.loads(args.child))))
        return
    print(f"{'network':>12} {'Pleiad':>12} {'PyTorch':>12} {'ratio':>8} {'of floor':>10} {'losses apart':>12}")
    for name in args.only.split(",") if args.only else WORKLOADS:
        compare(args.step_bench, name, WORKLOADS[name], args.rounds)


if __name__ == "__main__":
    main()
