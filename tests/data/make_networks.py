#!/usr/bin/env python3
"""Losses of small networks of each kind in float64, six steps of SGD, by PyTorch: networks_torch.json.

    python3 tests/data/make_networks.py

Parameters, inputs and losses are kept; the networks themselves are those of tests/bench/peers/steps.py.
"""
import json
import pathlib
import sys

import torch

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "bench" / "peers"))
import steps  # noqa: E402

LR, STEPS = 0.2, 6


def gpt_shapes(layers, heads, width, context, classes):
    size = width // heads
    shapes = {"transformer.wte.weight": (classes, width), "transformer.wpe.weight": (context, width)}

    def dense(name, out, inner):
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (*out, *inner), out

    def norm(name):
        shapes[f"{name}.weight"] = shapes[f"{name}.bias"] = (width,)

    for layer in range(layers):
        name = f"transformer.h.{layer}"
        norm(f"{name}.ln_1")
        dense(f"{name}.attn.q_proj", (heads, 1, size), (width,))
        dense(f"{name}.attn.k_proj", (heads, size), (width,))
        dense(f"{name}.attn.v_proj", (heads, size), (width,))
        dense(f"{name}.attn.c_proj", (width,), (heads, 1, size))
        norm(f"{name}.ln_2")
        dense(f"{name}.mlp.c_fc", (4 * width,), (width,))
        dense(f"{name}.mlp.c_proj", (width,), (4 * width,))
    norm("transformer.ln_f")
    return shapes


def lstm_shapes(layers, width, classes):
    shapes = {"embed.weight": (classes, width), "head.weight": (classes, width), "head.bias": (classes,)}
    for layer in range(layers):
        for kind in ("ih", "hh"):
            shapes[f"rnn.weight_{kind}_l{layer}"], shapes[f"rnn.bias_{kind}_l{layer}"] = (4 * width, width), (4 * width,)
    return shapes


def cnn_shapes(channels, blocks, in_channels, classes):
    shapes = {}

    def conv_bn(conv, bn, out, inner, size):
        shapes[f"{conv}.weight"] = (out, inner, size, size)
        shapes[f"{bn}.weight"] = shapes[f"{bn}.bias"] = (out,)

    conv_bn("conv1", "bn1", channels[0], in_channels, 3)
    inner = channels[0]
    for stage, out in enumerate(channels):
        for block in range(blocks):
            name = f"layer{stage + 1}.{block}"
            conv_bn(f"{name}.conv1", f"{name}.bn1", out, inner, 3)
            conv_bn(f"{name}.conv2", f"{name}.bn2", out, out, 3)
            if (stage > 0 and block == 0) or inner != out:
                conv_bn(f"{name}.downsample.0", f"{name}.downsample.1", out, inner, 1)
            inner = out
    shapes["fc.weight"], shapes["fc.bias"] = (classes, inner), (classes,)
    return shapes


def start(name, shape):
    if name.endswith(".weight") and len(shape) == 1:
        return 1 + 0.2 * torch.randn(shape)
    return 0.4 * torch.randn(shape)


def case(kind, keys, classes, batch, shapes, sample=None):
    p = {name: start(name, shape) for name, shape in shapes.items()}
    kept = {name: value.flatten().tolist() for name, value in p.items()}
    if kind == "cnn":
        x, y = torch.randn(batch, *sample), torch.randint(classes, (batch,))
    else:
        x, y = (torch.randint(classes, (batch, keys["context"])) for _ in range(2))
        y[0, 1] = -100
    values, labels = x.flatten().tolist(), [max(-1, i) for i in y.flatten().tolist()]
    work = {"keys": {"model.kind": kind, **{f"model.{k}": json.dumps(v) if isinstance(v, list) else v for k, v in keys.items()}}}
    if kind == "gpt2":
        steps.fuse_qkv(p)
    forward = steps.lstm_of(p, work) if kind == "lstm" else {"cnn": steps.cnn, "gpt2": steps.gpt}[kind]
    p = {n: t if isinstance(t, torch.nn.Parameter) else torch.nn.Parameter(t) for n, t in p.items()}
    optimizer = torch.optim.SGD(p.values(), lr=LR)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(forward(p, x, work).flatten(0, -2), y.flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"kind": kind, "keys": keys, "classes": classes, "batch": batch, "sample": list(sample or [keys.get("context")]),
            "parameters": kept, "x": values, "labels": labels, "losses": losses}


def main():
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(3)
    gpt = dict(layers=2, heads=2, width=8, context=6)
    lstm = dict(layers=2, width=5, context=4)
    cnn = dict(channels=[2, 3], blocks=1)
    cases = [case("gpt2", gpt, 11, 5, gpt_shapes(**gpt, classes=11)),
             case("lstm", lstm, 7, 5, lstm_shapes(lstm["layers"], lstm["width"], 7)),
             case("cnn", cnn, 3, 6, cnn_shapes(cnn["channels"], 1, 2, 3), sample=(7, 6, 2))]
    (here / "networks_torch.json").write_text(json.dumps({"torch": torch.__version__, "lr": LR, "cases": cases}) + "\n")


if __name__ == "__main__":
    main()
