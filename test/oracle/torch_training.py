"""Writes training.json: the first 50 losses of both training examples by PyTorch, from the weights and data of
examples/make_training.py:

    pip install torch==2.13.0 numpy; python3 test/oracle/torch_training.py > test/oracle/training.json
"""
import json
import sys
from pathlib import Path

import torch
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "examples"))
import make_training as data

STEPS, RATE = 50, 0.02


def descend(weights, loss):
    """Losses before each step of Adam; loss(parameters by name, number of the step)."""
    p = {name: torch.tensor(array, requires_grad=True) for name, array in weights.items()}
    optimiser, losses = torch.optim.Adam(p.values(), lr=RATE, betas=(0.9, 0.999), eps=1e-8), []
    for step in range(STEPS):
        optimiser.zero_grad()
        value = loss(p, step)
        value.backward()
        optimiser.step()
        losses.append(value.item())
    return losses


def tree_losses(dtype):
    def encode(p, tree):
        if not isinstance(tree, tuple):
            enter, leave, new = (torch.tensor(tree, dtype=dtype) @ p["leaf.weight"] + p["leaf.bias"]).chunk(3)
            cell = torch.sigmoid(enter) * torch.tanh(new)
        else:
            (hl, cl), (hr, cr) = encode(p, tree[0]), encode(p, tree[1])
            enter, fl, fr, leave, new = (hl @ p["left"] + hr @ p["right"] + p["bias"]).chunk(5)
            cell = torch.sigmoid(enter) * torch.tanh(new) + torch.sigmoid(fl) * cl + torch.sigmoid(fr) * cr
        return torch.sigmoid(leave) * torch.tanh(cell), cell

    trees = data.trees()
    labels = torch.tensor([label for _, label in trees])

    def loss(p, _):
        hidden = torch.stack([encode(p, tree)[0] for tree, _ in trees])
        return F.cross_entropy(hidden @ p["classes.weight"] + p["classes.bias"], labels)

    return descend(data.tree_weights(str(dtype).split(".")[1]), loss)


def char_losses(dtype):
    lines = [torch.tensor(line) for line in data.lines()[0]]

    def loss(p, step):
        line = lines[step % len(lines)]
        cell = torch.nn.LSTM(data.EMBED, data.CHAR_STATE, dtype=dtype)
        given = {"weight_ih_l0": p["cell.from_input"].T, "weight_hh_l0": p["cell.from_hidden"].T,
                 "bias_ih_l0": p["cell.gate_bias"], "bias_hh_l0": torch.zeros(4 * data.CHAR_STATE, dtype=dtype)}
        states, _ = torch.func.functional_call(cell, given, (p["embed"][line[:-1]],))
        return F.cross_entropy(states @ p["out.weight"] + p["out.bias"], line[1:])

    return descend(data.char_weights(str(dtype).split(".")[1]), loss)


def main():
    torch.set_num_threads(1)
    rows = {f"{name}_{short}": losses(dtype) for name, losses in (("tree", tree_losses), ("char", char_losses))
            for short, dtype in (("f32", torch.float32), ("f64", torch.float64))}
    print(json.dumps({"made_by": f"test/oracle/torch_training.py with PyTorch {torch.__version__}", **rows}, indent=1))


main()
