"""Writes attention.json: attention with grouped queries and its gradients by PyTorch in float64."""

import json
import pathlib

import torch

torch.manual_seed(1)


def case(batch, queries, keys, groups, heads, size, causal, scale):
    q = torch.randn(batch, queries, groups, heads, size, dtype=torch.float64, requires_grad=True)
    k, v = (torch.randn(batch, keys, groups, size, dtype=torch.float64, requires_grad=True) for _ in range(2))
    dy = torch.randn_like(q)
    scores = torch.einsum("btgrd,bsgd->btgrs", q, k) * (scale or size**-0.5)
    if causal:
        hidden = torch.ones(queries, keys, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(hidden[None, :, None, None, :], -torch.inf)
    y = torch.einsum("btgrs,bsgd->btgrd", scores.softmax(-1), v)
    y.backward(dy)
    tensors = {"q": q, "k": k, "v": v, "dy": dy, "y": y, "lse": scores.logsumexp(-1)}
    tensors |= {"dq": q.grad, "dk": k.grad, "dv": v.grad}
    numbers = {name: {"shape": list(t.shape), "at": t.flatten().tolist()} for name, t in tensors.items()}
    return {"causal": causal, "scale": scale, **numbers}


cases = [case(2, 5, 5, 2, 1, 4, True, 0), case(1, 4, 6, 1, 3, 5, False, 0.7), case(1, 3, 7, 2, 2, 2, True, 0.4)]
result = {"torch": torch.__version__.split("+")[0], "cases": cases}
pathlib.Path(__file__).with_name("attention.json").write_text(json.dumps(result) + "\n")
