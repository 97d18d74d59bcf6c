"""Writes convolutions.json: PyTorch's convolutions and pools with their gradients, channels last, in float64."""

import json
import pathlib

import torch
from torch.nn import functional as F

torch.manual_seed(1)


def numbers(*shape):
    """Exact in bfloat16, so that every dtype starts from the same values; no two equal in a window."""
    return torch.randn(shape).bfloat16().double().requires_grad_()


def last(t):
    return t.permute(0, 2, 3, 1)


def entry(t, channels_last=True):
    t = last(t) if channels_last and t.dim() == 4 else t
    return {"shape": list(t.shape), "at": [float(f"{x:.14g}") for x in t.flatten().tolist()]}


def case(y, inputs):
    dy = torch.randn(y.shape).bfloat16().double()
    grads = torch.autograd.grad(y, list(inputs.values()), dy)
    images = {"x"}
    out = {"y": entry(y), "dy": entry(dy)}
    for (name, value), grad in zip(inputs.items(), grads):
        out[name] = entry(value, name in images)
        out["d" + name] = entry(grad, name in images)
    return out


def convolution(x, w, bias=True, relu=False, **options):
    x, w = numbers(*x), numbers(*w)
    inputs = {"x": x, "w": w} | ({"b": numbers(w.shape[0])} if bias else {})
    y = F.conv2d(x, w, inputs.get("b"), **options)
    result = case(y.relu() if relu else y, inputs)
    pair = lambda name, default: list(torch.nn.modules.utils._pair(options.get(name, default)))
    return result | {"stride": pair("stride", 1), "padding": pair("padding", 0), "dilation": pair("dilation", 1),
                     "groups": options.get("groups", 1), "relu": relu}


def pool(x, kernel, stride, padding, kind, **options):
    x = numbers(*x)
    f = F.max_pool2d if kind == "max" else F.avg_pool2d
    result = case(f(x, kernel, stride, padding, **options), {"x": x})
    if kind == "max":
        result["indices"] = entry(F.max_pool2d(x, kernel, stride, padding, return_indices=True)[1])
    return result | {"kernel": kernel, "stride": stride, "padding": padding, "count": options.get("count_include_pad", True)}


def adaptive(x, size):
    x = numbers(*x)
    return case(F.adaptive_avg_pool2d(x, size), {"x": x})


def padded(x, border, value):
    x = numbers(*x)
    return case(F.pad(x, border, value=value), {"x": x}) | {"border": border, "value": value}


result = {
    "torch": torch.__version__.split("+")[0],
    "conv2d": [
        convolution((2, 3, 6, 5), (4, 3, 3, 3), padding=1),
        convolution((2, 3, 7, 6), (5, 3, 3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2), relu=True),
        convolution((3, 4, 5, 5), (2, 4, 1, 1), stride=2, bias=False),
        convolution((2, 6, 5, 4), (4, 3, 3, 3), padding=1, groups=2),
        convolution((1, 17, 3, 3), (3, 17, 3, 3), padding=1, bias=False),
    ],
    "depthwise_conv2d": [
        convolution((2, 5, 6, 5), (5, 1, 3, 3), padding=1, groups=5, bias=False),
        convolution((1, 17, 5, 4), (17, 1, 3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=17, bias=False),
    ],
    "max_pool2d": [
        pool((2, 3, 6, 5), [2, 2], [2, 2], [0, 0], "max"),
        pool((1, 17, 4, 3), [3, 2], [2, 1], [1, 1], "max"),
    ],
    "avg_pool2d": [
        pool((2, 3, 6, 5), [2, 2], [2, 2], [0, 0], "mean"),
        pool((1, 17, 4, 3), [3, 2], [2, 1], [1, 1], "mean"),
        pool((1, 3, 5, 6), [2, 3], [3, 2], [1, 1], "mean", count_include_pad=False),
    ],
    "adaptive_avg_pool2d": [adaptive((1, 17, 4, 3), (1, 1)), adaptive((2, 3, 7, 5), (3, 2)), adaptive((1, 2, 3, 2), (5, 4))],
    "pad2d": [padded((2, 3, 4, 3), (1, 2, 0, 3), 0.5), padded((1, 2, 5, 4), (-1, 2, 1, -2), -1.0)],
}
pathlib.Path(__file__).with_name("convolutions.json").write_text(json.dumps(result) + "\n")
