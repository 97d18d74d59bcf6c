"""Writes transformer.json: ops of transformers and their gradients by PyTorch in float64, from inputs that bf16 holds."""

import json
import pathlib

import torch
from torch.nn import functional as F

torch.manual_seed(1)


def numbers(*shape):
    return torch.randn(*shape).bfloat16().double().requires_grad_()


def tensor(t):
    return {"shape": list(t.shape), "at": t.flatten().tolist()}


def case(inputs, outputs):
    return {"inputs": [tensor(t) for t in inputs], "outputs": [t.flatten().tolist() for t in outputs]}


def gated(f):
    gate, up, dy = numbers(3, 5), numbers(3, 5), numbers(3, 5)
    y = f(gate) * up
    y.backward(dy)
    return case([gate, up], [y]), case([gate, up, dy], [gate.grad, up.grad])


def rotary(base):
    """As LlamaRotaryEmbedding and apply_rotary_pos_emb of Hugging Face transformers."""
    x, dy = numbers(2, 9, 3, 8), numbers(2, 9, 3, 8)
    frequency = 1.0 / base ** (torch.arange(0, 8, 2, dtype=torch.float64) / 8)
    angles = torch.outer(torch.arange(9, dtype=torch.float64), frequency)
    angles = torch.cat((angles, angles), -1)[None, :, None, :]
    turned = torch.cat((-x[..., 4:], x[..., :4]), -1)
    y = x * angles.cos() + turned * angles.sin()
    y.backward(dy)
    return case([x], [y]), case([dy], [x.grad])


def embedding():
    ids, weight, dy = torch.tensor([[3, 0, 3], [4, 3, 0]]), numbers(5, 4), numbers(2, 3, 4)
    y = F.embedding(ids, weight)
    y.backward(dy)
    return case([ids, weight], [y]), case([ids, dy], [weight.grad])


def linear_cross_entropy():
    x, w = numbers(2, 4, 6), numbers(11, 6)
    ids = torch.tensor([[3, 10, -1, 0], [5, -1, 3, 7]])
    loss = F.cross_entropy((x @ w.T).flatten(0, 1), ids.flatten(), ignore_index=-1)
    loss.backward()
    return case([x, w, ids, torch.tensor(6)], [loss, x.grad, w.grad])


result = {"torch": torch.__version__.split("+")[0]}
result["swiglu"], result["swiglu_grad"] = gated(F.silu)
result["geglu"], result["geglu_grad"] = gated(lambda x: F.gelu(x, approximate="tanh"))
result["rotary"], result["rotary_grad"] = rotary(100.0)
result["embedding"], result["embedding_grad"] = embedding()
result["linear_cross_entropy"] = linear_cross_entropy()
pathlib.Path(__file__).with_name("transformer.json").write_text(json.dumps(result) + "\n")
