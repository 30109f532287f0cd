# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a session keeps from run to run."""
from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .errors import Error

if TYPE_CHECKING:
    from .runtime import InferenceSession

__all__ = ["State"]


class State:
    """The states of a session whose model was compiled with `state`: a mapping from the names of the inputs that they stand for to
    arrays, which are copies. `outputs` has the names of the outputs that are their next values, `axes` the dimension in
    which each grows, None for one that does not."""

    def __init__(self, session: InferenceSession) -> None:
        self._session = session
        described = session._session.states
        self.names: list[str] = [state[0] for state in described]
        self.outputs: dict[str, str] = {state[0]: state[3] for state in described}
        self.axes: dict[str, int | None] = {state[0]: state[4] for state in described}

    def __repr__(self) -> str:
        return f"<{len(self.names)} states of length {self.length}: {', '.join(self.names)}>"

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def keys(self) -> list[str]:
        return list(self.names)

    def _number(self, name: str) -> int:
        if name not in self.names:
            raise Error(f"the model has no state '{name}'; its states are {self.names}")
        return self.names.index(name)

    def __getitem__(self, name: str) -> Any:
        """A copy of the state. A size that no run has decided yet is 0."""
        return self._session._session.get_state(self._number(name))

    def __setitem__(self, name: str, value: Any) -> None:
        self._session._session.set_state(self._number(name), value)

    @property
    def length(self) -> int:
        """How long the states that grow are; the longest, if they differ."""
        return self._session._session.state_length()

    def reset(self) -> None:
        """Starts anew, as a new session does."""
        self._session._session.reset()

    def truncate(self, length: int, name: str | None = None) -> None:
        """Cuts all states off behind `length`, as if what came later had not been run. States that do not grow cannot
        go back: with them, only `name` and those whose growing dimension has the same name can be cut off."""
        self._session._session.truncate_states(-1 if name is None else self._number(name), length)

    def save(self) -> bytes:
        """All states as bytes, for `load`, in any process."""
        return self._session._session.save_states()

    def load(self, saved: bytes) -> None:
        """Takes over states that `save` wrote, of the same model. Other bytes are an onnxc.Error, and change nothing."""
        self._session._session.load_states(bytes(saved))

    def fork(self) -> InferenceSession:
        """Another session of the same model, with copies of the states."""
        other = copy.copy(self._session)
        other._session = self._session._session.fork()
        other._state = None
        return other
