"""Writes networks.json: values and gradients of the prelude's networks by PyTorch, for networks_test.py:

    pip install torch==2.13.0 numpy; python3 test/oracle/torch_networks.py > test/oracle/networks.json

Each case: arguments, the value of sum(result * weight), and its gradient by every float argument. Arguments are numbers
that f32 holds exactly; results are in f64.
"""
import json
import random

import torch
from torch.nn import functional as F

rng = random.Random(17)


def tensor(*shape):
    x = torch.empty(shape, dtype=torch.float64)
    for at in range(x.numel()):
        x.view(-1)[at] = round(rng.uniform(-1, 1) * 4096) / 4096
    return x


def linear(p, x):
    return F.linear(x, p["weight"].T, p["bias"])


def lstm_cell(p, x, h, c):
    cell = torch.nn.LSTMCell(x.shape[-1], h.shape[-1], dtype=torch.float64)
    given = {"weight_ih": p["from_input"].T, "weight_hh": p["from_hidden"].T, "bias_ih": p["gate_bias"],
             "bias_hh": torch.zeros_like(p["gate_bias"])}
    return torch.cat(torch.func.functional_call(cell, given, (x, (h, c))), dim=-1)


def gru_cell(p, x, h):
    cell = torch.nn.GRUCell(x.shape[-1], h.shape[-1], dtype=torch.float64)
    given = {"weight_ih": p["input_weight"].T, "weight_hh": p["hidden_weight"].T, "bias_ih": p["input_bias"], "bias_hh": p["hidden_bias"]}
    return torch.func.functional_call(cell, given, (x, h))


CASES = {
    "linear": (linear, {"p": {"weight": tensor(3, 4), "bias": tensor(4)}, "x": tensor(2, 5, 3)}),
    "lstm_cell": (lstm_cell, {"p": {"from_input": tensor(3, 16), "from_hidden": tensor(4, 16), "gate_bias": tensor(16)},
                              "x": tensor(2, 3), "h": tensor(2, 4), "c": tensor(2, 4)}),
    "gru_cell": (gru_cell, {"p": {"input_weight": tensor(3, 12), "hidden_weight": tensor(4, 12), "input_bias": tensor(12), "hidden_bias": tensor(12)},
                            "x": tensor(2, 3), "h": tensor(2, 4)}),
    "layer_norm": (lambda p, x: F.layer_norm(x, x.shape[-1:], p["scale"], p["shift"], 1e-5),
                   {"p": {"scale": tensor(6), "shift": tensor(6)}, "x": tensor(3, 6)}),
    "softmax": (lambda x: F.softmax(x, dim=-1), {"x": tensor(3, 5)}),
    "log_softmax": (lambda x: F.log_softmax(x, dim=-1), {"x": tensor(3, 5)}),
    "gelu": (lambda x: F.gelu(x, approximate="tanh"), {"x": tensor(4, 3)}),
    "relu": (F.relu, {"x": tensor(4, 3)}),
    "sigmoid": (torch.sigmoid, {"x": tensor(4, 3)}),
    "attention": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.5),
                  {"q": tensor(2, 3, 4), "k": tensor(2, 5, 4), "v": tensor(2, 5, 2)}),
    "masked_attention": (lambda q, k, v, mask: F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=0.5),
                         {"q": tensor(2, 3, 4), "k": tensor(2, 3, 4), "v": tensor(2, 3, 2), "mask": torch.ones(3, 3).tril().bool()}),
    "mean": (torch.mean, {"x": tensor(3, 4)}),
    "mse": (lambda x, y: F.mse_loss(x, y), {"x": tensor(3, 4), "y": tensor(3, 4)}),
    "cross_entropy": (lambda x, labels: F.cross_entropy(x, labels), {"x": tensor(5, 4), "labels": torch.tensor([0, 3, 1, 3, 2])}),
}


def shown(value):
    if isinstance(value, dict):
        return {name: shown(part) for name, part in value.items()}
    dtype = {torch.float64: "float", torch.bool: "bool", torch.int64: "i64"}[value.dtype]
    return {"dtype": dtype, "shape": list(value.shape), "data": value.reshape(-1).tolist()}


def leaves(value):
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves(part)]
    return [value] if value.is_floating_point() else []


def gradients(value):
    return {name: gradients(part) for name, part in value.items()} if isinstance(value, dict) else value.grad if value.is_floating_point() else None


def case(function, given):
    for leaf in leaves(given):
        leaf.requires_grad_()
    result = function(*given.values())
    weight = tensor(*result.shape)
    value = (result * weight).sum()
    value.backward()
    by = {name: shown(grad) for name, part in given.items() if (grad := gradients(part)) is not None}
    return {"arguments": {name: shown(part) for name, part in given.items()}, "weight": shown(weight), "value": value.item(), "gradient": by}


def main():
    torch.set_num_threads(1)
    made_by = f"test/oracle/torch_networks.py with PyTorch {torch.__version__}"
    rows = [f"{json.dumps(name)}: {json.dumps(case(*CASES[name]))}" for name in CASES]
    print("{" + ",\n".join([f'"made_by": {json.dumps(made_by)}', *rows]) + "}")


main()
