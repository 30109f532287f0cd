from case import *

TOKENS, WIDTH, INNER, EXPERTS = 5, 32, 64, 4


def mixture(inner=INNER, tokens=(TOKENS, ), third=False, bias=True, dtype=np.float32, width=WIDTH, **attributes):
    fused = 2 if attributes.get("swiglu_fusion") else 1
    inputs = [f32(*tokens, width), f32(int(np.prod(tokens)), EXPERTS), f32(EXPERTS, fused * inner, width) / 4, f32(EXPERTS, fused * inner),
              f32(EXPERTS, width, inner) / 4, f32(EXPERTS, width)]
    if not bias:
        inputs[3] = inputs[5] = None
    while inputs[-1] is None:
        inputs.pop()
    return Case("MoE", [x if x is None else x.astype(dtype) for x in inputs], attributes, tolerance=3e-2 if dtype == np.float16 else 1e-4)


def quantized(bits, block=0, zeros=False, bias=True, own=False, tokens=(TOKENS, ), width=WIDTH, inner=INNER, **attributes):
    fused = 2 if attributes.get("swiglu_fusion") else 1

    def product(results, channels):
        blocks = channels // block if block else 1
        scales = (rng.random((EXPERTS, results, blocks)) / 2**bits).astype(np.float32)
        if block:
            points = u8(EXPERTS, results, -(-blocks * bits // 8))
        else:
            scales, points = scales[..., 0], u8(EXPERTS, -(-results * bits // 8))
        return [u8(EXPERTS, results, channels * bits // 8), scales, f32(EXPERTS, results) if bias else None], points if zeros else None

    first, first_zeros = product(fused * inner, width)
    second, second_zeros = product(width, inner)
    rows = int(np.prod(tokens))
    inputs = [f32(*tokens, width), f32(rows, EXPERTS), *first, *second, None, None, None, first_zeros, second_zeros, None,
              rng.random((rows, EXPERTS)).astype(np.float32) if own else None]
    while inputs[-1] is None:
        inputs.pop()
    if block:
        attributes["block_size"] = block
    # What ONNX Runtime computes of bytes in blocks it computes with fewer digits.
    return Case("QMoE", inputs, {"expert_weight_bits": bits, "k": 2, **attributes}, tolerance=2e-3,
                constants=tuple(i for i in (2, 3, 5, 6, 11, 12) if i < len(inputs) and inputs[i] is not None))


SWIGLU = {"activation_type": "swiglu", "swiglu_fusion": 1, "activation_alpha": 1.702, "activation_beta": 1.0}

CASES = [
    mixture(k=1),
    mixture(k=2, activation_type="gelu"),
    mixture(k=2, activation_type="silu", normalize_routing_weights=1),
    mixture(k=3, activation_type="identity", bias=False, tokens=(2, 3)),
    mixture(k=2, **SWIGLU),
    mixture(k=2, swiglu_limit=0.5, normalize_routing_weights=1, **SWIGLU),
    mixture(k=2, activation_type="relu", normalize_routing_weights=1, dtype=np.float16),
    quantized(4),
    quantized(4, zeros=True, activation_type="silu"),
    quantized(4, block=16, zeros=True, activation_type="gelu", bias=False),
    quantized(4, block=32, tokens=(2, 3), **SWIGLU),
    quantized(8, zeros=True, normalize_routing_weights=1),
    quantized(8, activation_type="identity"),
    quantized(2, block=16, zeros=True),
    quantized(2, zeros=True, activation_type="silu"),
    quantized(4, block=16, zeros=True, own=True),
    quantized(4, own=True, normalize_routing_weights=1),
    # Of this size each expert sees its own tokens alone: some, one, or none.
    mixture(k=1, width=128, inner=160),
    mixture(k=2, width=128, inner=160, tokens=(2, 7), activation_type="silu", normalize_routing_weights=1),
    mixture(k=2, width=128, inner=160, tokens=(1, 1), bias=False, activation_type="gelu"),
    mixture(k=2, width=128, inner=96, **SWIGLU),
    mixture(k=2, width=128, inner=160, normalize_routing_weights=1, dtype=np.float16),
    quantized(4, block=32, width=128, inner=160, activation_type="silu"),
    quantized(4, block=32, zeros=True, width=128, inner=96, tokens=(1, 1), **SWIGLU),
    quantized(8, zeros=True, width=128, inner=160),
]
