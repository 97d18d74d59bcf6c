"""Writes activations.json: values and gradients of PyTorch's activations in float64."""

import json
import pathlib

import torch
from torch.nn import functional as F

ACTIVATIONS = {"relu": F.relu, "gelu": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu}
X = [-30.0, -4.0, -1.25, -0.5, -1e-3, 0.0, 1e-3, 0.3, 1.0, 2.75, 30.0]

result = {"torch": torch.__version__.split("+")[0], "x": X}
for name, f in ACTIVATIONS.items():
    x = torch.tensor(X, dtype=torch.float64, requires_grad=True)
    y = f(x)
    y.sum().backward()
    result[name] = {"y": y.tolist(), "dx": x.grad.tolist()}
pathlib.Path(__file__).with_name("activations.json").write_text(json.dumps(result, indent=1) + "\n")
