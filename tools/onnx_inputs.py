"""Inputs of models, made from random numbers: what tools/onnx_models.toml may call."""
import hashlib
from types import SimpleNamespace

import numpy as np


def f32(values):
    return np.asarray(values, np.float32)


def i32(values):
    return np.asarray(values, np.int32)


def i64(values):
    return np.asarray(values, np.int64)


def zeros(*shape):
    return np.zeros(shape, np.float32)


def mask(lengths):
    """1 for the places that each row has, 0 behind them."""
    return i64(np.arange(max(lengths)) < np.reshape(lengths, (-1, 1)))


def unit(rows):
    return f32(rows / np.linalg.norm(rows, axis=-1, keepdims=True))


def standard(pictures, mean, deviation):
    """Brightness 0 … 1 of each channel, as networks are trained to see it."""
    return f32((pictures - np.reshape(mean, (-1, 1, 1))) / np.reshape(deviation, (-1, 1, 1)))


def log_mel(sound, bands, rate=16000, window=400, step=160):
    """Loudness by band of the mel scale and time, (batch, time, bands)."""
    frames = np.lib.stride_tricks.sliding_window_view(sound, window, axis=1)[:, ::step]
    power = np.abs(np.fft.rfft(frames * np.hanning(window), axis=2)) ** 2
    corners = 700 * np.expm1(np.linspace(0, np.log1p(rate / 2 / 700), bands + 2))
    hertz = np.fft.rfftfreq(window, 1 / rate)
    weights = [np.interp(hertz, corners[i:i + 3], [0, 1, 0]) for i in range(bands)]
    loud = np.log10(np.maximum(power @ np.transpose(weights), 1e-10))
    return (np.maximum(loud, loud.max((1, 2), keepdims=True) - 8) + 4) / 4


class Random:
    """Everything that differs from case to case; one text, one sequence of numbers."""
    def __init__(self, text):
        self.rng = np.random.default_rng(list(hashlib.sha256(text.encode()).digest()))

    def normal(self, *shape, mean=0.0, deviation=1.0):
        return f32(self.rng.normal(mean, deviation, shape))

    def whole(self, low, high, *shape):
        """Integers from low up to, not including, high."""
        return self.rng.integers(low, high, shape)

    def sound(self, batch, samples, rate=16000):
        """Like a voice: pulses through three resonances, in syllables, over faint noise."""
        time = np.arange(samples) / rate
        pitch, pace, start = (self.rng.uniform(low, high, (batch, 1)) for low, high in [(90, 220), (2, 4), (0, 1)])
        turns = pitch * (time + 0.02 * np.sin(8 * time))
        pulses = np.diff(np.floor(turns), axis=1, prepend=0)
        hertz = np.fft.rfftfreq(samples, 1 / rate)
        throat = sum(1 / (1 + ((hertz - centre) / 80) ** 2) for centre in (500, 1500, 2500))
        voice = np.fft.irfft(np.fft.rfft(pulses, axis=1) * throat, samples, axis=1)
        loud = np.maximum(np.sin(2 * np.pi * (pace * time + start)), 0)
        return f32(0.5 * voice * loud + 0.004 * self.rng.normal(size=(batch, samples)))

    def paper(self, batch, height, width):
        """Brightness 0 … 1 of empty pages under uneven light."""
        light = 0.9 - 0.15 * np.add.outer(np.arange(height), np.arange(width)) / (height + width)
        tint = self.rng.uniform(0.85, 1, (batch, 3, 1, 1))
        return np.clip(light * tint + 0.02 * self.rng.normal(size=(batch, 3, height, width)), 0, 1)

    def page(self, batch, height, width, dot=3):
        """Pages with lines of words, whose letters are random dots."""
        pages = self.paper(batch, height, width)
        for page in pages:
            line = int(self.rng.integers(5, 10)) * dot
            dots = self.rng.random((height // dot + 1, width // dot + 1)) < 0.5
            ink = np.kron(dots, np.ones((dot, dot)))[:height, :width]
            ink *= (np.arange(height) % (2 * line) < line)[:, None]
            ink *= np.repeat(self.rng.random(width // 24 + 1) < 0.8, 24)[:width]
            page *= 1 - 0.75 * ink
        return pages

    def table(self, batch, height, width, rows, columns):
        """Pages with a ruled table, some dots in each cell; no rows: an empty page."""
        pages = self.paper(batch, height, width)
        if rows == 0:
            return pages
        for y in np.linspace(0, height - 2, rows + 1).astype(int):
            pages[:, :, y:y + 2] = 0.1
        for x in np.linspace(0, width - 2, columns + 1).astype(int):
            pages[:, :, :, x:x + 2] = 0.1
        tall, wide = height // rows, width // columns
        for place in range(rows * columns):
            y, x = place // columns * tall + tall // 3, place % columns * wide + wide // 5
            ink = self.rng.random((max(tall // 3, 1), max(wide // 2, 1))) < 0.5
            pages[:, :, y:y + ink.shape[0], x:x + ink.shape[1]] *= 1 - 0.8 * ink
        return pages

    def sentences(self, lengths):
        """Word pieces of BERT: a first one that begins, a last one that ends, 0 behind it."""
        ids = self.whole(1996, 30000, len(lengths), max(lengths)) * mask(lengths)
        ids[:, 0] = 101
        ids[np.arange(len(lengths)), np.subtract(lengths, 1)] = 102
        return i64(ids)

    def phonemes(self, lengths):
        """What Piper reads: 1, then each phoneme, all with 0 between them, then 2, and 0 behind it."""
        ids = np.zeros((len(lengths), 2 * max(lengths) + 3), np.int64)
        ids[:, 0] = 1
        for row, length in zip(ids, lengths):
            row[2:2 * length + 2:2] = self.rng.choice([3, *range(14, 39), 59, 61, 74, 100, 102, 119, 120], length)
            row[2 * length + 2] = 2
        return ids

    def detections(self, batch, cells, objects):
        """Boxes (centre, size) and scores of 80 classes per cell: each object is seen by several cells, the rest is doubt."""
        grid = np.concatenate([self.rng.uniform(0, 640, (batch, 2, cells)), self.rng.uniform(8, 200, (batch, 2, cells)),
                               self.rng.uniform(0, 0.2, (batch, 80, cells))], axis=1)
        for one in grid:
            for seen in self.rng.permutation(cells)[:7 * objects].reshape(objects, 7):
                box = np.append(self.rng.uniform(60, 500, 2), self.rng.uniform(30, 160, 2))
                one[:4, seen] = box[:, None] + self.rng.uniform(-4, 4, (4, 7))
                one[4 + self.rng.integers(80), seen] = self.rng.uniform(0.3, 0.95, 7)
        return f32(grid)

    def molecules(self, sizes):
        """Graphs of so many atoms, one behind the other: chains with branches and rings, each bond both ways."""
        bonds, returns, spectra, first = [], [], [], 0
        for size in sizes:
            near = [(max(0, atom - int(self.rng.integers(1, 4))), atom) for atom in range(1, size)]
            near += [(atom, atom + 5) for atom in range(0, size - 5, 9)]
            walk = np.zeros((size, size))
            for a, b in near:
                walk[a, b] = walk[b, a] = 1
                bonds += [(first + a, first + b), (first + b, first + a)]
            walk /= np.maximum(walk.sum(1, keepdims=True), 1)
            returns.append(np.stack([np.linalg.matrix_power(walk, steps).diagonal() for steps in range(1, 17)], axis=1))
            spectra.append(np.broadcast_to(np.sort(self.rng.uniform(0, 2, 8)), (size, 8)))
            first += size
        return SimpleNamespace(atoms=first, bonds=i64(bonds).reshape(-1, 2), returns=f32(np.concatenate(returns)),
                               spectra=f32(np.concatenate(spectra)), graph_of_atom=i64(np.repeat(np.arange(len(sizes)), sizes)))

    def one_hot(self, count, kinds):
        return np.eye(kinds, dtype=np.float32)[self.whole(0, kinds, count)]

    def flags(self, count, features, share):
        return f32(self.rng.random((count, features)) < share)


def make(text, description, case):
    """The inputs of a case: expressions over its sizes and over what was made before them."""
    random = Random(text)
    names = {name: getattr(random, name) for name in dir(random) if not name.startswith("_")}
    names |= {tool.__name__: tool for tool in (f32, i32, i64, zeros, mask, unit, standard, log_mel)} | {"np": np} | case
    for name, expression in description.get("given", {}).items():
        names[name] = eval(expression, names)
    return {name: np.asarray(eval(expression, names)) for name, expression in description["inputs"].items()}
