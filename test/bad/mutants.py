# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with a few random faults, made field by field from models that are right."""

import copy
import random

import onnx
from google.protobuf.descriptor import FieldDescriptor as Field
from onnx import numpy_helper

INTEGERS = (0, 1, -1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 1 << 15, 1 << 16, 1 << 20, 1 << 24,
            (1 << 31) - 1, 1 << 31, 1 << 32, 1 << 33, 1 << 40, 1 << 62, (1 << 63) - 1, -(1 << 63), -(1 << 63) + 1,
            -2, -3, -100, -(1 << 31), -(1 << 40))
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, 1e38, -1e38, float("inf"), float("-inf"), float("nan"), 2.0, 1e9, 1e-9, -0.3)
STRINGS = ("", "x", "ai.onnx", "ai.onnx.ml", "com.microsoft", "SAME_UPPER", "NOTSET", "VALID", "\x00", "'", "é" * 20,
           "reflect", "linear", "bogus", "constant", "../x", "/etc/passwd", "a" * 3000)


def _messages(message, found):
    found.append(message)
    for field, value in message.ListFields():
        if field.type == Field.TYPE_MESSAGE:
            for inner in value if field.is_repeated else [value]:
                _messages(inner, found)
    return found


def _names(model):
    names = set()
    for message in _messages(model, []):
        if isinstance(message, onnx.NodeProto):
            names.update(message.input, message.output, [message.op_type])
        elif isinstance(message, (onnx.ValueInfoProto, onnx.TensorProto, onnx.AttributeProto)):
            names.add(message.name)
    return sorted(names)


class Mutator:
    """Faults for `model`; `donors` are other models to take pieces of."""

    def __init__(self, generator, donors=()):
        self.random = generator
        self.donors = donors

    def scalar(self, field, old, names):
        pick = self.random.choice
        if field.type == Field.TYPE_STRING:
            return pick(STRINGS) if self.random.random() < 0.3 else pick(names or STRINGS)
        if field.type == Field.TYPE_BYTES:
            data = bytearray(old)
            action = self.random.randrange(4)
            if action == 0 or not data:
                return bytes(self.random.randrange(256) for _ in range(self.random.choice((0, 1, 4, 8, 9))))
            if action == 1:
                return bytes(data[:self.random.randrange(len(data))])
            if action == 2 and len(data) % 8 == 0:
                # An element of a shape or an index, more often than not.
                at = 8 * self.random.randrange(len(data) // 8)
                data[at:at + 8] = pick(INTEGERS).to_bytes(8, "little", signed=True)
                return bytes(data)
            data[self.random.randrange(len(data))] = pick((0, 1, 127, 128, 255))
            return bytes(data)
        if field.type in (Field.TYPE_FLOAT, Field.TYPE_DOUBLE):
            return pick(FLOATS)
        if field.type == Field.TYPE_BOOL:
            return not old
        if field.type == Field.TYPE_ENUM:
            return pick([value.number for value in field.enum_type.values])
        value = old + pick((-1, 1)) if self.random.random() < 0.3 else pick(INTEGERS)
        if field.type in (Field.TYPE_INT32, Field.TYPE_SINT32):
            return max(-(1 << 31), min(value, (1 << 31) - 1))
        if field.type == Field.TYPE_UINT64:
            return value % (1 << 64)
        return max(-(1 << 63), min(value, (1 << 63) - 1))

    def _change_list(self, message, field, names):
        values = getattr(message, field.name)
        is_message = field.type == Field.TYPE_MESSAGE
        action = self.random.randrange(6)
        at = self.random.randrange(len(values)) if len(values) else 0
        if action == 0 and len(values):
            del values[at]
        elif action == 1 and len(values):
            other = copy.deepcopy(values[at])
            values.append(other)
        elif action == 2 and len(values) > 1:
            order = list(range(len(values)))
            self.random.shuffle(order)
            kept = [copy.deepcopy(values[i]) for i in order]
            del values[:]
            values.extend(kept)
        elif action == 3:
            del values[:]
        elif is_message:
            if self.donors and self.random.random() < 0.5:
                same = [m for m in _messages(self.random.choice(self.donors), [])
                        if m.DESCRIPTOR is field.message_type or m.DESCRIPTOR.full_name == field.message_type.full_name]
                if same:
                    values.append(self.random.choice(same))
            else:
                values.add()
        elif len(values) and action == 4:
            values[at] = self.scalar(field, values[at], names)
        else:
            values.append(self.scalar(field, type_default(field), names))

    def _change(self, message, names):
        fields = [f for f in message.DESCRIPTOR.fields]
        present = [f for f, _ in message.ListFields()]
        field = self.random.choice(present if present and self.random.random() < 0.85 else fields)
        if field.name in ("doc_string", "producer_name", "producer_version", "metadata_props"):
            return
        if field.is_repeated:
            self._change_list(message, field, names)
        elif self.random.random() < 0.1:
            message.ClearField(field.name)
        elif field.type == Field.TYPE_MESSAGE:
            getattr(message, field.name).SetInParent()
        else:
            setattr(message, field.name, self.scalar(field, getattr(message, field.name), names))

    def mutate(self, model, faults):
        model = copy.deepcopy(model)
        for _ in range(faults):
            messages = _messages(model, [])
            # Nodes, attributes and tensors are where the meaning is.
            weights = [4 if isinstance(m, (onnx.NodeProto, onnx.AttributeProto, onnx.TensorProto)) else 1 for m in messages]
            self._change(self.random.choices(messages, weights)[0], _names(model))
        return model


def type_default(field):
    if field.type == Field.TYPE_STRING:
        return ""
    if field.type == Field.TYPE_BYTES:
        return b""
    return 0


def make_constant(model, inputs):
    """The inputs become initializers: what computes with them is folded."""
    model = copy.deepcopy(model)
    for info, value in zip(list(model.graph.input), inputs):
        model.graph.initializer.append(numpy_helper.from_array(value, info.name))
    del model.graph.input[:]
    return model
