"""Writes optimizers.json: what PyTorch's optimizers and gradient clipping make of a few float64 numbers. Lion and LAMB,
which PyTorch lacks, follow their papers (arXiv 2302.06675 and 1904.00962)."""

import json
import pathlib

import torch

STEPS = 5
LR = [0.1, 0.1, 0.05, 0.02, 0.01]  # a schedule, so that an lr kept from an earlier step is noticed


def run(make, shape=(6,)):
    generator = torch.Generator().manual_seed(1)
    p = torch.nn.Parameter(torch.randn(shape, dtype=torch.float64, generator=generator))
    numbers = lambda t: t.detach().reshape(-1).tolist()
    start = numbers(p)
    optimizer = make([p])
    gradients, params = [], []
    for lr in LR:
        optimizer.param_groups[0]["lr"] = lr
        p.grad = torch.randn(shape, dtype=torch.float64, generator=generator)
        gradients.append(numbers(p.grad))
        optimizer.step()
        params.append(numbers(p))
    return {"shape": list(shape), "start": start, "lr": LR, "gradients": gradients, "params": params}


class Lion(torch.optim.Optimizer):
    def __init__(self, params, beta1, beta2, weight_decay):
        super().__init__(params, {"lr": 0, "b": (beta1, beta2), "decay": weight_decay})

    @torch.no_grad()
    def step(self):
        (group,) = self.param_groups
        (p,), lr, (b1, b2) = group["params"], group["lr"], group["b"]
        m = self.state[p].setdefault("m", torch.zeros_like(p))
        p -= lr * (torch.sign(b1 * m + (1 - b1) * p.grad) + group["decay"] * p)
        m.copy_(b2 * m + (1 - b2) * p.grad)


class Lamb(torch.optim.Optimizer):
    def __init__(self, params, betas, eps, weight_decay):
        super().__init__(params, {"lr": 0, "b": betas, "eps": eps, "decay": weight_decay})

    @torch.no_grad()
    def step(self):
        (group,) = self.param_groups
        (p,), lr, (b1, b2) = group["params"], group["lr"], group["b"]
        s = self.state[p]
        s.setdefault("m", torch.zeros_like(p)), s.setdefault("v", torch.zeros_like(p))
        t = s["t"] = s.get("t", 0) + 1
        s["m"].copy_(b1 * s["m"] + (1 - b1) * p.grad)
        s["v"].copy_(b2 * s["v"] + (1 - b2) * p.grad**2)
        r = s["m"] / (1 - b1**t) / ((s["v"] / (1 - b2**t)).sqrt() + group["eps"]) + group["decay"] * p
        ratio = p.norm() / r.norm() if p.norm() > 0 and r.norm() > 0 else 1
        p -= lr * ratio * r


def average(decay):
    generator = torch.Generator().manual_seed(2)
    p = [torch.randn(4, dtype=torch.float64, generator=generator) for _ in range(4)]
    net = torch.nn.Linear(4, 1, bias=False, dtype=torch.float64)
    net.weight.data[0] = p[0]
    ema = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(decay))
    averages = []
    for values in p:
        net.weight.data[0] = values
        ema.update_parameters(net)
        averages.append(ema.module.weight.data[0].tolist())
    return {"decay": decay, "params": [x.tolist() for x in p], "averages": averages}


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
    ("lion", {}, lambda p: Lion(p, 0.9, 0.99, 0)),
    ("lion", {"beta1": 0.8, "beta2": 0.95, "weight_decay": 0.1}, lambda p: Lion(p, 0.8, 0.95, 0.1)),
    ("adam", {}, lambda p: O.Adam(p)),
    ("adam", {"beta1": 0.8, "beta2": 0.99, "eps": 1e-6, "weight_decay": 0.1}, lambda p: O.Adam(p, weight_decay=0.1, **ADAM)),
    ("adamw", {"weight_decay": 0.01}, lambda p: O.AdamW(p)),
    ("adamw", {"beta1": 0.8, "beta2": 0.99, "eps": 1e-6, "weight_decay": 0.1}, lambda p: O.AdamW(p, weight_decay=0.1, **ADAM)),
]
FACTOR = {"beta2_decay": -0.7, "eps": (1e-5, 1e-2), "d": 1.5, "weight_decay": 0.1}
result = {
    "torch": torch.__version__.split("+")[0],
    "optimizers": [{"op": op, "attrs": attrs, **run(make)} for op, attrs, make in CASES],
    "lamb": run(lambda p: Lamb(p, (0.8, 0.99), 1e-6, 0.1)),
    "adafactor": [run(lambda p: O.Adafactor(p), s) for s in [(6,), (2, 3), (2, 2, 3)]]
    + [run(lambda p: O.Adafactor(p, **FACTOR), s) for s in [(6,), (2, 3)]],
    "ema": average(0.9),
    "clipping": [clip([3.0, -4.0, 12.0], 1.0), clip([3.0, -4.0, 12.0], 20.0), clip([0.0, 0.0, 0.0], 1.0)],
}
pathlib.Path(__file__).with_name("optimizers.json").write_text(json.dumps(result, indent=1) + "\n")
