from case import *

streams, flat = f32(2, 3, 2, 4), f32(2, 3, 8)

CASES = [
    Case("GatedAdd", [f32(2, 3, 4), f32(2, 3, 4), f32(2, 3, 1)]),
    *(Case("GatedRMSNorm", [flat, f32(4), f32(2, 3, 8)], {"activation": name, "epsilon": 1e-3}, constants=(1, ))
      for name in ("silu", "swish", "sigmoid")),
    Case("GatedRMSNorm", [f32(2, 8), f32(8), f32(2, 8)], known={1: (0, )}),
    Case("BranchwiseRMSNorm", [streams]),
    Case("BranchwiseRMSNorm", [streams, f32(2, 4)]),
    Case("BranchwiseRMSNorm", [streams, f32(4)], known={0: (3, ), 1: (0, )}),
    Case("BranchwiseRMSNorm", [streams, f32(8)], known={0: (3, ), 1: (0, )}),
    Case("BranchwiseRMSNorm", [flat, f32(8)], {"num_branches": 2}, known={0: (2, ), 1: (0, )}),
    Case("EngramGate", [streams, f32(2, 3, 2, 4), f32(2, 3, 4), f32(2, 4), f32(2, 4), f32(2, 4)], outputs=(0, 1)),
    Case("EngramGate", [streams, f32(2, 3, 2, 4), f32(2, 3, 4), f32(2, 4), f32(2, 4)], {"epsilon": 1e-2}),
    *(Case("HyperConnectionPreMix", [streams, f32(*shape)], {"reduction_scale": 0.5}) for shape in ((2, 3, 2), (2, 3, 2, 1), (2, 3, 2, 4))),
    *(Case("HyperConnectionPreMix", [flat, f32(*shape)], {"num_branches": 2}, known={1: (2, )}) for shape in ((2, 3, 2), (2, 3, 8))),
    *(Case("HyperConnectionPostMix", [streams, f32(2, 3, 4), f32(*shape), f32(2, 3, 2, 2)]) for shape in ((2, 3, 2), (2, 3, 2, 4))),
    Case("HyperConnectionPostMix", [flat, f32(2, 3, 4), f32(2, 3, 2)], {"num_branches": 2}, known={2: (2, )}),
]
