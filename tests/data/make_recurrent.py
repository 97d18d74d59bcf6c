"""Writes recurrent.json: what PyTorch's LSTM and GRU give for random weights and sequences in float64."""

import json
import pathlib

import torch

BATCH, TIME, IN, HIDDEN = 3, 5, 4, 6


def numbers(t):
    return {"shape": list(t.shape), "values": t.detach().reshape(-1).tolist()}


def run(make, states):
    torch.manual_seed(3)
    net = make(IN, HIDDEN, batch_first=True, dtype=torch.float64)
    x = torch.randn(BATCH, TIME, IN, dtype=torch.float64)
    start = [torch.randn(1, BATCH, HIDDEN, dtype=torch.float64) for _ in range(states)]
    y, end = net(x, tuple(start) if states > 1 else start[0])
    end = end if states > 1 else [end]
    parameters = [net.weight_ih_l0, net.weight_hh_l0, net.bias_ih_l0, net.bias_hh_l0]
    return {
        "inputs": [numbers(t) for t in [x, *parameters, *(h[0] for h in start)]],
        "outputs": [numbers(t) for t in [y, *(h[0] for h in end)]],
    }


result = {
    "torch": torch.__version__.split("+")[0],
    "lstm": run(torch.nn.LSTM, 2),
    "gru": run(torch.nn.GRU, 1),
}
pathlib.Path(__file__).with_name("recurrent.json").write_text(json.dumps(result) + "\n")
