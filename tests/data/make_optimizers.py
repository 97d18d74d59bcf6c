"""Writes optimizers.json: what PyTorch's optimizers and gradient clipping make of a few float64 numbers."""

import json
import pathlib

import torch

STEPS = 5
LR = [0.1, 0.1, 0.05, 0.02, 0.01]  # a schedule, so that an lr kept from an earlier step is noticed


def run(make):
    generator = torch.Generator().manual_seed(1)
    p = torch.nn.Parameter(torch.randn(6, dtype=torch.float64, generator=generator))
    start = p.detach().tolist()
    optimizer = make([p])
    gradients, params = [], []
    for lr in LR:
        optimizer.param_groups[0]["lr"] = lr
        p.grad = torch.randn(6, dtype=torch.float64, generator=generator)
        gradients.append(p.grad.tolist())
        optimizer.step()
        params.append(p.detach().tolist())
    return {"start": start, "lr": LR, "gradients": gradients, "params": params}


def clip(values, max_norm):
    p = torch.nn.Parameter(torch.zeros(len(values), dtype=torch.float64))
    p.grad = torch.tensor(values, dtype=torch.float64)
    norm = torch.nn.utils.clip_grad_norm_([p], max_norm)
    return {"gradient": values, "max_norm": max_norm, "norm": norm.item(), "clipped": p.grad.tolist()}


O = torch.optim
ADAM = {"betas": (0.8, 0.99), "eps": 1e-6}
CASES = [
    ("sgd", {"weight_decay": 0.0}, lambda p: O.SGD(p)),
    ("sgd", {"weight_decay": 0.1}, lambda p: O.SGD(p, weight_decay=0.1)),
    ("momentum", {"momentum": 0.9}, lambda p: O.SGD(p, momentum=0.9)),
    ("momentum", {"momentum": 0.8, "weight_decay": 0.1}, lambda p: O.SGD(p, momentum=0.8, weight_decay=0.1)),
    (
        "momentum",
        {"momentum": 0.8, "weight_decay": 0.1, "nesterov": True},
        lambda p: O.SGD(p, momentum=0.8, weight_decay=0.1, nesterov=True),
    ),
    ("adam", {}, lambda p: O.Adam(p)),
    ("adam", {"beta1": 0.8, "beta2": 0.99, "eps": 1e-6, "weight_decay": 0.1}, lambda p: O.Adam(p, weight_decay=0.1, **ADAM)),
    ("adamw", {"weight_decay": 0.01}, lambda p: O.AdamW(p)),
    ("adamw", {"beta1": 0.8, "beta2": 0.99, "eps": 1e-6, "weight_decay": 0.1}, lambda p: O.AdamW(p, weight_decay=0.1, **ADAM)),
]
result = {
    "torch": torch.__version__.split("+")[0],
    "optimizers": [{"op": op, "attrs": attrs, **run(make)} for op, attrs, make in CASES],
    "clipping": [clip([3.0, -4.0, 12.0], 1.0), clip([3.0, -4.0, 12.0], 20.0), clip([0.0, 0.0, 0.0], 1.0)],
}
pathlib.Path(__file__).with_name("optimizers.json").write_text(json.dumps(result, indent=1) + "\n")
