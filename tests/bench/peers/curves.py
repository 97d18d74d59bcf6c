#!/usr/bin/env python3
"""Loss curves of the language models in Pleiad and in PyTorch from the same weights and data.

    python3 tests/bench/peers/curves.py [--steps 200] [--pleiad build/release/pleiad] [PRESET ...]

Needs PyTorch, numpy and safetensors, and Debian's bible-kjv. PyTorch makes the weights; Pleiad starts from them
(--model.init). Both take the samples in the order of the text, with AdamW at a constant rate. Prints the losses and the
largest difference of the curves, smoothed over ten steps, in percent.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

import numpy
import torch
from safetensors.torch import save_file

here = pathlib.Path(__file__).parent
sys.path[:0] = [str(here), str(here.parent.parent / "data")]
import make_networks  # noqa: E402
import steps  # noqa: E402

CLASSES, LR = 256, 1e-3


def preset_model(program, preset):
    """The section model, and the batch."""
    text = subprocess.run([program, "config", "init", preset], capture_output=True, text=True, check=True).stdout
    config = tomllib.loads(text)
    return config["model"] | {"batch": config["train"]["batch"]}


def weights_of(model):
    if model["kind"] == "gpt2":
        shapes = make_networks.gpt_shapes(*(model[k] for k in ("layers", "heads", "width", "context")), CLASSES)
        return {name: torch.ones(s) if "ln_" in name and name.endswith("weight") else torch.zeros(s)
                if name.endswith("bias") else 0.02 * torch.randn(s) for name, s in shapes.items()}
    shapes = make_networks.lstm_shapes(model["layers"], model["width"], CLASSES)
    return {name: torch.randn(s) if name == "embed.weight" else model["width"] ** -0.5 * (2 * torch.rand(s) - 1)
            for name, s in shapes.items()}


def pleiad_losses(program, preset, weights, count, folder):
    subprocess.run([program, "train", preset, "-q", "--runs", folder, "--name", "curve", "--model.init", weights,
                    "--data.shuffle", "false", "--steps", str(count), "--optim.lr", str(LR), "--optim.schedule", "constant",
                    "--optim.warmup", "0", "--optim.weight_decay", "0", "--train.grad_clip", "0", "--log.every", "1",
                    "--train.eval_every", "1000000"], check=True)
    rows = (json.loads(line) for line in (pathlib.Path(folder) / "curve" / "metrics.jsonl").read_text().splitlines())
    return {row["step"]: row["loss"] for row in rows}


def torch_losses(model, p, count):
    kind, batch, context = model["kind"], model["batch"], model["context"]
    text = subprocess.run(["bible", "-f", "gen1:1-rev22:21"], stdin=subprocess.DEVNULL, capture_output=True).stdout
    tokens = torch.from_numpy(numpy.frombuffer(text, dtype=numpy.uint8).astype(numpy.int64))
    work = {"keys": {f"model.{k}": v for k, v in model.items() if k not in ("kind", "batch")}}
    if kind == "gpt2":
        steps.fuse_qkv(p)
    forward = steps.lstm_of(p, work) if kind == "lstm" else steps.gpt
    p = {n: t if isinstance(t, torch.nn.Parameter) else torch.nn.Parameter(t) for n, t in p.items()}
    optimizer = torch.optim.AdamW(p.values(), lr=LR, weight_decay=0.0)
    losses = {}
    for step in range(count):
        first = step * batch * context
        x, y = (tokens[first + d : first + d + batch * context].reshape(batch, context) for d in (0, 1))
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(forward(p, x, work).flatten(0, -2), y.flatten())
        loss.backward()
        optimizer.step()
        losses[step + 1] = loss.item()
    return losses


def smooth(losses, step):
    return sum(losses[s] for s in range(max(1, step - 9), step + 1)) / min(10, step)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--pleiad", default="build/release/pleiad")
    parser.add_argument("presets", nargs="*", default=["gpt-tiny", "charlm-lstm"])
    args = parser.parse_args()
    for preset in args.presets:
        torch.manual_seed(1)
        model = preset_model(args.pleiad, preset)
        p = weights_of(model)
        with tempfile.TemporaryDirectory() as folder:
            weights = f"{folder}/start.safetensors"
            save_file(p, weights)
            ours = pleiad_losses(args.pleiad, preset, weights, args.steps, folder)
        theirs = torch_losses(model, p, args.steps)
        apart = max(abs(smooth(ours, s) / smooth(theirs, s) - 1) for s in theirs)
        print(f"{preset}: largest difference {100 * apart:.4f} %")
        for s in sorted({1, 10, 50, 100, args.steps} & set(theirs)):
            print(f"  step {s:4}  Pleiad {ours[s]:.6f}  PyTorch {theirs[s]:.6f}")


if __name__ == "__main__":
    main()
