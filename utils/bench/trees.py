"""A TreeEnsembleRegressor as LightGBM's text model, which compilers of trees read."""

import numpy as np


def attributes(node):
    from onnx import helper
    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


def threshold(mode, value):
    """The t for which `x <= t` is the node's test, of a float32 x."""
    if mode == b"BRANCH_LEQ":
        return float(np.float32(value))
    if mode == b"BRANCH_LT":
        return float(np.nextafter(np.float32(value), np.float32(-np.inf)))
    raise ValueError(f"a node's mode is {mode.decode()}, which has no <=")


def tree_text(index, nodes, weights):
    """One tree. `nodes` is {id: (mode, feature, value, true id, false id, whether NaN takes the true
    side)}, `weights` {id of a leaf: value}."""
    inner = [key for key, node in nodes.items() if node[0] != b"LEAF"]
    leaves = [key for key, node in nodes.items() if node[0] == b"LEAF"]
    # LightGBM numbers inner nodes from 0, the root first, and leaves as -1, -2, ...
    number = {key: i for i, key in enumerate(inner)} | {key: ~i for i, key in enumerate(leaves)}
    lines = [f"Tree={index}", f"num_leaves={len(leaves)}", "num_cat=0"]
    if inner:
        # Bit 1: NaN goes left; bits 2 and 3: 2 where NaN is what counts as missing.
        kinds = [(2 if nodes[key][5] else 0) | 8 for key in inner]
        columns = {
            "split_feature": [nodes[key][1] for key in inner],
            "split_gain": [1] * len(inner),
            "threshold": [repr(threshold(nodes[key][0], nodes[key][2])) for key in inner],
            "decision_type": kinds,
            "left_child": [number[nodes[key][3]] for key in inner],
            "right_child": [number[nodes[key][4]] for key in inner]}
        lines += [f"{name}={' '.join(map(str, column))}" for name, column in columns.items()]
    lines.append("leaf_value=" + " ".join(repr(float(weights.get(key, 0))) for key in leaves))
    return "\n".join([*lines, "is_linear=0", "shrinkage=1", "", ""])


def lightgbm_text(model):
    """The text of a model that is one TreeEnsembleRegressor with one target; ValueError
    tells what of it cannot be written."""
    node = model.graph.node[0] if len(model.graph.node) == 1 else None
    if node is None or node.op_type != "TreeEnsembleRegressor":
        raise ValueError("more than one TreeEnsembleRegressor")
    given = attributes(node)
    if given.get("n_targets", 1) != 1 or given.get("aggregate_function", b"SUM") != b"SUM":
        raise ValueError("several targets, or not their sum")
    if given.get("post_transform", b"NONE") != b"NONE":
        raise ValueError("a transform of the sum")
    missing = given.get("nodes_missing_value_tracks_true") or [0] * len(given["nodes_nodeids"])
    trees = {}
    for tree, key, *fields in zip(
            given["nodes_treeids"], given["nodes_nodeids"], given["nodes_modes"], given["nodes_featureids"],
            given["nodes_values"], given["nodes_truenodeids"], given["nodes_falsenodeids"], missing):
        trees.setdefault(tree, {})[key] = fields
    weights = {}
    for tree, key, value in zip(given["target_treeids"], given["target_nodeids"], given["target_weights"]):
        weights.setdefault(tree, {})[key] = weights.get(tree, {}).get(key, 0) + value
    texts = [tree_text(i, nodes, weights.get(tree, {})) for i, (tree, nodes) in enumerate(trees.items())]
    base = given.get("base_values", [0])[0]
    if base:
        # With a node: lleaves wants one in every tree.
        leaf = (b"LEAF", 0, 0, 0, 0, 0)
        constant = {0: (b"BRANCH_LEQ", 0, 1, 1, 2, 0), 1: leaf, 2: leaf}
        texts.append(tree_text(len(texts), constant, {1: base, 2: base}))
    features = model.graph.input[0].type.tensor_type.shape.dim[1].dim_value
    if not features:
        raise ValueError("an open number of features")
    head = ["tree", "version=v4", "num_class=1", "num_tree_per_iteration=1", "label_index=0",
            f"max_feature_idx={features - 1}", "objective=regression",
            "feature_names=" + " ".join(f"f{i}" for i in range(features)),
            "feature_infos=" + " ".join(["[-1e30:1e30]"] * features),
            "tree_sizes=" + " ".join(str(len(text)) for text in texts), "", ""]
    return "\n".join(head) + "".join(texts) + "end of trees\n\nparameters:\nend of parameters\n\npandas_categorical:null\n"
