"""Inputs of the models in conditional-faults.test: which way a run takes."""
import numpy as np

x = np.ones((2, 3, 3), np.float32)
np.savez("x.npz", x=x)
np.savez("yes.npz", x=x, c=np.bool_(True))
np.savez("no.npz", x=x, c=np.bool_(False))
np.savez("some.npz", x=x, m=np.int64(2))
np.savez("none.npz", x=x, m=np.int64(0))
