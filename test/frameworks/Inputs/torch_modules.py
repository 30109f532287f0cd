"""Modules compiled by onnxc.torch give what they give themselves.

usage: torch_modules.py FOLDER
"""

import logging
import pathlib
import pickle
import sys
import warnings

import torch
from torch import nn
from torch.nn import functional

import onnxc
import onnxc.torch

torch.manual_seed(7)
torch.set_num_threads(1)
COMPILED = []
logging.getLogger("onnxc.torch").setLevel(logging.INFO)
logging.getLogger("onnxc.torch").addHandler(type("Count", (logging.Handler,), {"emit": lambda self, record: COMPILED.append(record.args[0])})())
warnings.simplefilter("always")


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.second = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.Conv2d(8, 16, 3, stride=2)
        self.last = nn.Linear(16, 5)
        self.norm.running_mean.uniform_()
        self.norm.running_var.uniform_(0.5, 2)

    def forward(self, x):
        x = functional.relu(self.norm(self.first(x)))
        return functional.log_softmax(self.last(functional.gelu(self.second(x)).mean((2, 3))), -1)


class Attention(nn.Module):
    def __init__(self, width=16, heads=4):
        super().__init__()
        self.heads, self.norm = heads, nn.LayerNorm(width)
        self.all, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        n, length, width = x.shape
        q, k, v = self.all(self.norm(x)).view(n, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(mixed.transpose(1, 2).reshape(n, length, width))


class Structured(nn.Module):
    def forward(self, x, scale):
        return {"sum": x + scale, "parts": [x * scale, x.argmax(-1)]}


def same(found, wanted, tolerance=1e-4):
    torch.testing.assert_close(found, wanted, rtol=tolerance, atol=tolerance)


def backend(module, **options):
    torch._dynamo.reset()
    COMPILED.clear()
    return torch.compile(module, backend="onnxc", **options)


def quietly(call, *args):
    """The result, and the warnings of onnxc."""
    with warnings.catch_warnings(record=True) as caught, torch.no_grad():
        warnings.simplefilter("always")
        result = call(*args)
    return result, [str(warning.message) for warning in caught if str(warning.message).startswith("onnxc")]




def exported(folder):
    module = Convolutions().train()
    with torch.no_grad():
        module.eval()
        x = torch.randn(2, 3, 12, 14)
        wanted = module(x)
        module.train()
    fast = onnxc.torch.compile(module, (x,), dynamic_shapes=({0: "batch", 2: "height", 3: "width"},))
    assert module.training
    same(fast(x), wanted)
    print("inputs:", [(arg.name, arg.shape) for arg in fast.get_inputs()])
    module.eval()
    for size in ((1, 3, 12, 14), (5, 3, 20, 9)):
        x = torch.randn(size)
        same(fast(x), module(x))
    path = onnxc.torch.compile(module, x, output=folder / "module.so", input_names=["image"], output_names=["scores"])
    loaded = onnxc.InferenceSession(path)
    same(torch.from_numpy(loaded.run(["scores"], {"image": x})[0]), module(x))
    print("a library:", loaded.get_inputs()[0].name, loaded.get_inputs()[0].shape)
    same(pickle.loads(pickle.dumps(fast))(x), module(x))
    print("opset:", onnxc.torch.to_onnx(module, (x,), opset=20).opset_import[0].version)
    structured = Structured()
    args = torch.randn(3, 4), torch.randn(4)
    same(onnxc.torch.compile(structured, args)(*args), structured(*args))
    half = nn.Linear(8, 4).to(torch.bfloat16)
    x = torch.randn(2, 8, dtype=torch.bfloat16)
    same(onnxc.torch.compile(half, (x,))(x), half(x), 2e-2)

    class Wrong(nn.Module):
        def forward(self, x):
            return torch.linalg.eigvals(x)

    for wrong in (lambda: onnxc.torch.compile(Wrong(), (torch.randn(3, 3),)), lambda: onnxc.torch.compile(torch.sin, (x,)),
                  lambda: fast(x, x), lambda: fast(torch.randn(1, 4, 3, 3))):
        try:
            wrong()
            print("no error")
        except onnxc.Error as error:
            print("error:", error)


def whole():
    module = Convolutions().eval()
    fast = backend(module)
    x = torch.randn(2, 3, 12, 14)
    found, warned = quietly(fast, x)
    same(found, module(x).detach())
    print("one graph:", len(COMPILED), warned)
    # A second size makes the batch dynamic; a third compiles nothing.
    for batch, graphs in ((3, 2), (6, 2), (9, 2)):
        x = torch.randn(batch, 3, 12, 14)
        found, warned = quietly(fast, x)
        same(found, module(x).detach())
        assert len(COMPILED) == graphs and not warned, (COMPILED, warned)
    attention = Attention().eval()
    fast = backend(attention, dynamic=True)
    for shape in ((2, 5, 16), (3, 9, 16), (4, 30, 16)):
        x = torch.randn(shape)
        found, warned = quietly(fast, x)
        same(found, attention(x).detach())
        assert not warned, warned
    print("dynamic sizes:", len(COMPILED))


def weights():
    """Parameters are constants of a model: changes make another one, and modules of one class have their own."""
    module = nn.Linear(6, 3).eval()
    fast = backend(module)
    x = torch.randn(2, 6)
    same(quietly(fast, x)[0], module(x).detach())
    with torch.no_grad():
        module.weight.mul_(2)
    same(quietly(fast, x)[0], module(x).detach())
    module.load_state_dict(nn.Linear(6, 3).state_dict())
    same(quietly(fast, x)[0], module(x).detach())
    module.weight = nn.Parameter(torch.randn(3, 6))
    same(quietly(fast, x)[0], module(x).detach())
    print("changed weights:", len(COMPILED))
    layers = [nn.Linear(6, 6).eval() for _ in range(3)]
    torch._dynamo.reset()
    COMPILED.clear()
    compiled = [torch.compile(layer, backend="onnxc") for layer in layers]
    for _ in range(2):
        for layer, fast in zip(layers, compiled):
            same(quietly(fast, x)[0], layer(x).detach())
    print("modules of one class:", len(COMPILED))


def breaks():
    """Graphs between what torch cannot trace; views and sizes of arguments; guards on values."""
    linear = nn.Linear(6, 6)

    def function(x, flag):
        y = linear(x).relu()
        torch._dynamo.graph_break()
        z = (y * 2).softmax(-1)
        return (z if flag else z - 1), x.view(-1), x.shape[0]

    fast = backend(function)
    x = torch.randn(4, 6)
    for flag in (True, False, True):
        found, warned = quietly(fast, x, flag)
        same(found[0], function(x, flag)[0].detach())
        assert found[1].data_ptr() == x.data_ptr() and found[2] == 4 and not warned, warned
    print("graph breaks:", len(COMPILED) >= 3)

    def inside(x):
        z = x + 1
        z.mul_(2)
        z[0] = 5
        return z.sin()

    found, warned = quietly(backend(inside), x)
    same(found, inside(x))
    print("writes to its own:", len(COMPILED), warned)

    def number(x, n):
        return x * n

    fast = backend(number, dynamic=True)
    for n in (2, 3, 4):
        same(quietly(fast, x, n)[0], x * n)
    print("numbers:", len(COMPILED) >= 1)


def fallbacks():
    x = torch.randn(4, 4)

    def shown(name, call, *args, wanted=None):
        found, warned = quietly(backend(call), *args)
        if wanted is not None:
            same(found, wanted)
        print(f"{name}:", *warned, sep="\n  ")

    shown("eigenvalues", lambda x: torch.linalg.eigvals(x).abs().sum(), x, wanted=torch.linalg.eigvals(x).abs().sum())
    changed = x.clone()

    def change(y):
        y.mul_(2)
        return y.sin()
    shown("in place", change, changed, wanted=(2 * x).sin())
    same(changed, 2 * x)
    shown("random numbers", lambda x: functional.dropout(x, 0.5, training=True), x)
    norm = nn.BatchNorm1d(4).train()
    other = nn.BatchNorm1d(4).train()
    shown("training", norm, x, wanted=other(x).detach())
    same(norm.running_mean, other.running_mean)
    module = nn.Linear(4, 4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        backend(module)(x).sum().backward()
    print("gradients:", *(str(warning.message) for warning in caught if "onnxc" in str(warning.message)), sep="\n  ")
    assert module.weight.grad is not None
    with torch.inference_mode():
        same(backend(module)(x), module(x))
    print("inference mode:", len(COMPILED))


def options(folder):
    module = Attention().eval()
    x = torch.randn(2, 5, 16)
    for _ in range(2):
        fast = backend(module, options={"threads": 1, "cache_dir": str(folder / "cache"), "opt_level": 1})
        same(quietly(fast, x)[0], module(x).detach())
    print("cached:", len(list((folder / "cache").iterdir())))
    print("listed:", "onnxc" in torch._dynamo.list_backends())


def main():
    folder = pathlib.Path(sys.argv[1])
    exported(folder)
    whole()
    weights()
    breaks()
    fallbacks()
    options(folder)
    print("done")


main()
