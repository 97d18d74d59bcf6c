"""Writes mlp_torch.json: losses and gradient norms of a small MLP trained by PyTorch in float64.

Usage: python make_mlp_torch.py > mlp_torch.json
"""
import json
import torch
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)
torch.manual_seed(3)
BATCH, WIDTHS = 13, [6, 10, 7, 5]
STEPS, LR, CLIP = 10, 0.05, 0.3

x = torch.randn(BATCH, WIDTHS[0])
labels = torch.randint(-1, WIDTHS[-1], (BATCH,))  # -1: ignored
start = {}
for i, (fan_in, fan_out) in enumerate(zip(WIDTHS, WIDTHS[1:])):
    layer = torch.nn.Linear(fan_in, fan_out)
    start[f"layers.{i}.weight"] = layer.weight.detach()
    start[f"layers.{i}.bias"] = layer.bias.detach()

OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=LR, weight_decay=0.01),
    "momentum": lambda p: torch.optim.SGD(p, lr=LR, momentum=0.9, weight_decay=0.01),
    "adam": lambda p: torch.optim.Adam(p, lr=LR, weight_decay=0.01),
    "adamw": lambda p: torch.optim.AdamW(p, lr=LR, weight_decay=0.01),
}
ACTIVATIONS = {
    "relu": F.relu,
    "gelu": lambda y: F.gelu(y, approximate="tanh"),
    "silu": F.silu,
}


def run(optimizer, activation, clip):
    params = {name: p.clone().requires_grad_() for name, p in start.items()}
    opt = OPTIMIZERS[optimizer](list(params.values()))
    losses, norms = [], []
    for _ in range(STEPS):
        y = x
        for i in range(len(WIDTHS) - 1):
            y = F.linear(y, params[f"layers.{i}.weight"], params[f"layers.{i}.bias"])
            y = ACTIVATIONS[activation](y) if i + 2 < len(WIDTHS) else y
        loss = F.cross_entropy(y, labels, ignore_index=-1)
        opt.zero_grad()
        loss.backward()
        norms.append(float(torch.nn.utils.clip_grad_norm_(list(params.values()), clip)) if clip else 0)
        opt.step()
        losses.append(float(loss.detach()))
    return {"optimizer": optimizer, "activation": activation, "grad_clip": clip, "losses": losses, "norms": norms}


print(json.dumps({
    "torch": torch.__version__.split("+")[0],
    "lr": LR,
    "weight_decay": 0.01,
    "x": x.flatten().tolist(),
    "labels": labels.tolist(),
    "parameters": {name: p.flatten().tolist() for name, p in start.items()},
    "runs": [run(o, a, c) for o in OPTIMIZERS for a in ACTIVATIONS for c in (0, CLIP)],
}))
