"""Writes losses.json: PyTorch's softmax and losses in float64 with their gradients, at inputs that bfloat16 can hold."""

import json
import pathlib

import torch
from torch.nn import functional as F

torch.manual_seed(1)


def numbers(*shape, scale=1.0):
    return (torch.randn(shape, dtype=torch.float64) * scale).bfloat16().double().requires_grad_()


def case(f, *inputs):
    """The gradient is that of the sum of y times dy."""
    y = f(*inputs)
    dy = numbers(*y.shape).detach()
    dx = torch.autograd.grad((y * dy).sum(), inputs[0])[0]
    rows = {"x": inputs[0], "y": y, "dy": dy, "dx": dx} | ({"target": inputs[1]} if len(inputs) > 1 else {})
    return {k: {"shape": list(t.shape), "at": t.detach().flatten().tolist()} for k, t in rows.items()}


x, target = numbers(3, 70, scale=4), numbers(3, 70, scale=4)
fraction = target.detach().sigmoid().bfloat16().double()
ids = torch.tensor([69, -100, 3])
result = {
    "torch": torch.__version__.split("+")[0],
    "softmax": case(lambda t: F.softmax(t, -1), x),
    "log_softmax": case(lambda t: F.log_softmax(t, -1), x),
    "mse_loss": case(F.mse_loss, x, target),
    "l1_loss": case(F.l1_loss, x, target),
    "huber_loss": case(lambda t, u: F.huber_loss(t, u, delta=1.5), x, target),
    "binary_cross_entropy_with_logits": case(F.binary_cross_entropy_with_logits, x, fraction),
    "nll_loss": case(F.nll_loss, x, ids),
}
pathlib.Path(__file__).with_name("losses.json").write_text(json.dumps(result, separators=(",", ":")) + "\n")
