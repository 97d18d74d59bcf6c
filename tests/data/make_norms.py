"""Writes norms.json: outputs and gradients of PyTorch's normalisations in float64, at inputs that bfloat16 can hold."""

import json
import pathlib

import torch
from torch.nn import functional as F

torch.manual_seed(1)
EPS = 1e-3


def numbers(*shape, scale=1.0, shift=0.0):
    x = (torch.randn(*shape, dtype=torch.float64) * scale + shift).bfloat16().double()
    return x.requires_grad_()


def stored(t):
    return {"shape": list(t.shape), "at": t.detach().flatten().tolist()}


def case(inputs, outputs, **saved):
    """Gradients are those of the sum of outputs times dy."""
    dy = [numbers(*y.shape).detach() for y in outputs]
    gradients = torch.autograd.grad(sum((y * d).sum() for y, d in zip(outputs, dy)), inputs)
    rows = {"x": inputs, "y": outputs, "dy": dy, "dx": gradients}
    result = {name: [stored(t) for t in tensors] for name, tensors in rows.items()}
    return result | {name: stored(t) for name, t in saved.items()}


def row_stats(x):
    return {"mean": x.mean(-1), "rstd": (x.var(-1, unbiased=False) + EPS).rsqrt()}


def rms(x):
    return {"rstd": (x.square().mean(-1) + EPS).rsqrt()}


def with_residual(norm, parameters, stats):
    x, residual = numbers(2, 2, 19), numbers(2, 2, 19)
    sums = x + residual
    return case([x, residual, *parameters], [sums, norm(sums, parameters)], **stats(sums))


def layer(x, p):
    return F.layer_norm(x, x.shape[-1:], *p, eps=EPS)


def rms_layer(x, p):
    return F.rms_norm(x, x.shape[-1:], *p, eps=EPS)


def channels_first(f, x):
    return f(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)


def batch(relu):
    x, weight, bias = numbers(3, 2, 3, 6, scale=2, shift=3), numbers(6), numbers(6)
    y = channels_first(lambda t: F.batch_norm(t, None, None, weight, bias, True, eps=EPS), x)
    rows = x.reshape(-1, 6)
    square = (rows - rows.mean(0)).square().sum(0)
    return case([x, weight, bias], [y.relu() if relu else y], mean=rows.mean(0), square=square)


def running():
    x, mean, var = numbers(3, 2, 3, 6, shift=3).detach(), numbers(6).detach(), numbers(6).detach().abs() + 1
    result = {"x": stored(x), "old_mean": stored(mean), "old_var": stored(var)}
    weight, bias = numbers(6), numbers(6)
    y = channels_first(lambda t: F.batch_norm(t, mean, var, weight, bias, False, eps=EPS), x)
    result |= {"weight": stored(weight), "bias": stored(bias), "y": stored(y)}
    channels_first(lambda t: F.batch_norm(t, mean, var, None, None, True, momentum=0.3), x)
    return result | {"new_mean": stored(mean), "new_var": stored(var)}


def group():
    x, weight, bias = numbers(2, 2, 3, 12, shift=1), numbers(12), numbers(12)
    groups = x.reshape(2, 6, 3, 4).permute(0, 2, 1, 3).reshape(2, 3, 24)
    y = channels_first(lambda t: F.group_norm(t, 3, weight, bias, eps=EPS), x)
    return case([x, weight, bias], [y], **row_stats(groups))


x, p = numbers(3, 70, scale=2, shift=3), [numbers(70), numbers(70)]
result = {
    "torch": torch.__version__.split("+")[0],
    "layer_norm": case([x, *p], [layer(x, p)], **row_stats(x)),
    "rms_norm": case([x, p[0]], [rms_layer(x, p[:1])], **rms(x)),
    "add_layer_norm": with_residual(layer, [numbers(19), numbers(19)], row_stats),
    "add_rms_norm": with_residual(rms_layer, [numbers(19)], rms),
    "group_norm": group(),
    "batch_norm": batch(False),
    "batch_norm_relu": batch(True),
    "running": running(),
}
pathlib.Path(__file__).with_name("norms.json").write_text(json.dumps(result, separators=(",", ":")) + "\n")
