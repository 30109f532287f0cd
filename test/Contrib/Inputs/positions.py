from case import *


def turned(rank, layout, interleaved=0, size=8, turned_size=0):
    """MRotaryEmbedding of two heads, turned in part or whole."""
    columns = (turned_size or size) // 2
    shares = [columns - columns // 2, columns // 2 - columns // 4, columns // 4]
    x = f32(2, 2, 3, size) if rank == 4 else f32(2, 3, 2 * size)
    attributes = {"mrope_section": shares, "mrope_layout": layout, "interleaved": interleaved}
    if rank == 3 or turned_size:
        attributes |= {"num_heads": 2, "rotary_embedding_dim": turned_size}
    return Case("MRotaryEmbedding", [x, i64(0, 10, 3, 2, 3), f32(10, columns), f32(10, columns)], attributes,
                known={0: (rank - 1, ), 2: (1, ), 3: (1, )})


def buckets(distance, count, greatest, bidirectional):
    """T5's: distance is that of a key behind its query, negative before it."""
    first = np.zeros_like(distance)
    if bidirectional:
        count //= 2
        first, distance = (distance > 0) * count, np.abs(distance)
    else:
        distance = np.maximum(-distance, 0)
    exact = count // 2
    far = exact + (np.log(np.maximum(distance, 1) / exact) / np.log(greatest / exact) * (count - exact)).astype(int)
    return first + np.where(distance < exact, distance, np.minimum(far, count - 1))


def relative(queries, keys, bidirectional, count=8, greatest=20):
    table = f32(count, 3)
    apart = np.arange(keys) - np.arange(queries)[:, None]
    # The elements lie as if the table were transposed.
    bias = table[buckets(apart, count, greatest, bidirectional)].transpose(2, 0, 1)[None]
    return Case("RelativePositionBias", [np.ascontiguousarray(table.T).reshape(count, 3), np.array([queries]), np.array([keys])],
                {"max_distance": greatest, "is_bidirectional": bidirectional}, expected=[bias], known={0: (0, 1)})


def gated(size=4, width=6):
    inputs = [f32(2, 5, 3 * size), f32(3 * size), f32(1, 3, 5, 5), f32(size, width), f32(width), f32(1, 3, 1, 1)]
    x, bias, positions, w, b, a = inputs
    heads = (x + bias).reshape(2, 5, 3, size).transpose(0, 2, 1, 3) @ w + b
    gates = 1 / (1 + np.exp(-heads.reshape(2, 3, 5, 2, width // 2).sum(-1)))
    factor = gates[..., :1] * (gates[..., 1:] * a - 1) + 2
    return Case("GatedRelativePositionBias", inputs, {"num_heads": 3}, expected=[factor * positions])


CASES = [
    *(turned(rank, layout, interleaved) for rank in (3, 4) for layout in (0, 1) for interleaved in (0, 1)),
    turned(3, 1, size=16, turned_size=8),
    turned(4, 0, interleaved=1, size=16, turned_size=8),
    relative(9, 9, 1),
    relative(9, 9, 0),
    relative(30, 30, 1, count=6),
    relative(1, 1, 1),
    gated(),
]
