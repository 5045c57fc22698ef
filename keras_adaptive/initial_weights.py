"""Initial weights: of another network, or such that long or hard sequences are learned.

`copy_weights` takes those of a trained network. Each other function draws an array for a recurrent
cell from a `numpy.random.Generator`, for `variable.assign`.

Example:

>>> cell = keras.layers.LSTMCell(8)
>>> cell.build((None, 3))
>>> rng = np.random.default_rng(0)
>>> _ = cell.recurrent_kernel.assign(orthogonal_gates(rng, 8))
>>> _ = cell.bias.assign(chrono_bias(rng, 8, longest=100))
"""

import keras
import numpy as np

from . import arguments
from .neural_gpu.neural_gpu import NeuralGPU


def copy_weights(model: keras.Model, source: keras.Model) -> list[str]:
    """Starts a model from the weights of another one that has some of its layers.

    Weights are the same if their paths are, or if that of the source ends the other path: so the
    units of a plain network become those that a `layers.ResidualACT` wraps. The numbers that Keras
    adds to names that a process has used before do not count.

    The cell of a recurrent layer may have more units than that of `source`, all such cells equally
    many. The first units are those of `source`; the others read all units with their own initial
    weights, but nothing reads them yet, so the wider network answers as `source` does (unless a
    layer normalizes over the units).

    A `layers.NeuralGPU` may have more CGRUs in each step than that of `source`, and repeats its:
    with twice as many it answers as `source` with twice as many steps per symbol.

    Args:
        model: whose weights are set.
        source: whose weights are copied, all of them.

    Returns:
        The paths of the weights of `model` that `source` does not have, which stay as they are.

    Raises:
        ValueError: if an argument is no built model, or a weight of `source` has no counterpart of
            the same shape or of a wider cell, or several.

    Example:

    >>> def network(*layers):
    ...     return keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, name="a"), *layers])
    >>> model = network(keras.layers.Dense(2, name="b"))
    >>> copy_weights(model, network())
    ['b/kernel', 'b/bias']
    """
    for name, value in (("model", model), ("source", source)):
        arguments.instance(name, value, keras.Model, "a built Keras model")
        if not value.built:
            arguments.refuse(name, value, "a built Keras model")
    own = {_path(variable, model): variable for variable in model.variables}
    fresh, copied = _counted_afresh(own), {}
    paths = [_path(variable, source) for variable in source.variables]
    known = dict(zip(paths, _counted_afresh(paths).values(), strict=True))
    units = _units_of_cells(model), _units_of_cells(source)
    for variable, path in zip(source.variables, paths, strict=True):
        fits = [path] if path in own else [name for name in own if name.endswith("/" + path)]
        fits = fits or [name for name, counted in fresh.items() if counted == known[path]]
        fits = [name for name in fits if name not in copied]
        value = _widened(own[fits[0]], variable, *units) if len(fits) == 1 else None
        if value is None:
            shapes = {name: own[name].shape for name in fits}
            raise ValueError(
                "Argument `source` must have weights that `model` has once, each another, with the "
                "same shapes or those of cells with more units. "
                f"Received: {path} of shape {variable.shape} in `source`, and {shapes} in `model`"
            )
        copied[fits[0]] = value
    for path, value in copied.items():
        own[path].assign(value)
    repeated = _repeat_layers(model, copied)
    return [path for path in own if path not in copied and path not in repeated]


def _repeat_layers(model, copied):
    """Sets the CGRUs of Neural GPUs that are not in `copied`; returns the paths of weights."""
    paths = set()
    for layer in model._flatten_layers():
        cells = layer.cells if isinstance(layer, NeuralGPU) else []
        known = [cell for cell in cells if _path(cell.weights[0], model) in copied]
        for place, cell in enumerate(cells):
            if known and cell not in known:
                for one, other in zip(cell.weights, known[place % len(known)].weights, strict=True):
                    one.assign(np.array(other))
                    paths.add(_path(one, model))
    return paths


def _path(variable, model):
    """The path of a variable within its model."""
    return variable.path.removeprefix(f"{model.name}/")


def _units_of_cells(model):
    """The units of a model's recurrent cells, if all have equally many; else None."""
    sizes = {v.shape[0] for v in model.variables if v.path.endswith("/recurrent_kernel")}
    return sizes.pop() if len(sizes) == 1 else None


def _widened(variable, source, wide, narrow):
    """The value of a weight that starts as that of a narrower network; None if it cannot.

    Args:
        variable: the weight.
        source: that of the network with `narrow` units in each cell.
        wide, narrow: numbers of units, or None.
    """
    if variable.shape == source.shape:
        # A copy: a step of training on JAX takes the memory of a variable.
        return np.array(source)
    if len(variable.shape) != len(source.shape) or not (wide and narrow and wide > narrow):
        return None
    places = []
    for size, old in zip(variable.shape, source.shape, strict=True):
        blocks, rest = divmod(size - old, wide - narrow)
        # Behind the units of a layer below there may be the flag with which `ACTRNN` marks steps.
        flag = old - blocks * narrow
        if rest or blocks < 0 or (blocks and flag not in (0, 1)):
            return None
        # Gates lie side by side, so each of them grows.
        grown = (np.arange(blocks)[:, None] * wide + np.arange(narrow)).ravel()
        places.append(np.concatenate([grown, np.arange(size - flag, size)]))
    value = keras.ops.convert_to_numpy(variable).copy()
    if value.ndim > 1:
        # Whatever there was in `source` reads no new unit.
        value[np.ix_(np.arange(len(value)), *places[1:])] = 0
    value[np.ix_(*places)] = keras.ops.convert_to_numpy(source)
    return value


def _counted_afresh(paths):
    """Paths by themselves, with the numbers of names counted from the first one in each place.

    >>> _counted_afresh(["act/cell_7/bias", "act/cell_9/bias"])
    {'act/cell_7/bias': 'act/cell/bias', 'act/cell_9/bias': 'act/cell_1/bias'}
    """
    numbers: dict[tuple[str, str], set[int]] = {}
    for path in paths:
        for place, name, number in _numbered(path):
            numbers.setdefault((place, name), set()).add(number)
    ranks = {
        (place, name, number): rank
        for (place, name), found in numbers.items()
        for rank, number in enumerate(sorted(found))
    }
    return {
        path: "/".join(
            f"{part[1]}_{ranks[part]}" if ranks[part] else part[1] for part in _numbered(path)
        )
        for path in paths
    }


def _numbered(path):
    """The parts of a path: where each stands, its name without a number, and the number."""
    parts = path.split("/")
    for place, part in enumerate(parts):
        name, _, number = part.rpartition("_")
        numbered = bool(name) and number.isdigit()
        above = "/".join(parts[:place])
        yield (above, name, int(number)) if numbered else (above, part, 0)


def orthogonal_gates(rng: np.random.Generator, units: int) -> np.ndarray:
    """A recurrent kernel of an LSTM whose four gates each have an orthogonal matrix.

    Args:
        rng: a `numpy.random.Generator`.
        units: of the LSTM.

    Returns:
        float32 `(units, 4 * units)`.
    """
    units = _checked(rng, units=units)[0]
    gates = [np.linalg.qr(rng.normal(size=(units, units)))[0] for _ in range(4)]
    return np.concatenate(gates, axis=1).astype("float32")


def chrono_bias(rng: np.random.Generator, units: int, longest: float) -> np.ndarray:
    """A bias of an LSTM with which its memories last between 2 and `longest` time steps.

    The bias of the forget gate is the logarithm of that time; the biases of the other gates are 0.

    Args:
        rng: a `numpy.random.Generator`.
        units: of the LSTM.
        longest: time steps, above 2.

    Returns:
        float32 `(4 * units,)`.

    Source: Tallec & Ollivier, "Can recurrent neural networks warp time?" (2018),
    arXiv:1804.11188, section 3.
    """
    units = _checked(rng, units=units)[0]
    longest = arguments.number("longest", longest, above=2)
    bias = np.zeros(4 * units, "float32")
    bias[units : 2 * units] = np.log(rng.uniform(2, longest, units))
    return bias


def sparse_kernel(
    rng: np.random.Generator, rows: int, units: int, gain: float, inputs_per_unit: int = 6
) -> np.ndarray:
    """Glorot weights times `gain` for a few random inputs of each unit, 0 for its others.

    The last row, the weight of the flag with which `ACTRNN` marks a first step, keeps plain Glorot
    weights.

    Args:
        rng: a `numpy.random.Generator`.
        rows: the number of inputs, the flag included.
        units: of the cell.
        gain: factor on the weights.
        inputs_per_unit: the number of inputs that a unit sees. Defaults to `6`.

    Returns:
        float32 `(rows, units)`.
    """
    rows, units, inputs_per_unit = _checked(
        rng, rows=rows, units=units, inputs_per_unit=inputs_per_unit
    )
    gain = arguments.number("gain", gain)
    limit = np.sqrt(6 / (rows + units))
    kernel = rng.uniform(-limit, limit, (rows, units))
    seen = np.argsort(rng.random((rows - 1, units)), axis=0) < inputs_per_unit
    kernel[:-1] *= gain * seen
    return kernel.astype("float32")


def one_input_each(
    rng: np.random.Generator, inputs: int, units: int, scale: float
) -> np.ndarray:
    """A kernel with which each unit sees one input, and every input is seen equally often.

    Args:
        rng: a `numpy.random.Generator`.
        inputs: the number of inputs.
        units: of the cell.
        scale: weights are uniform between -`scale` and `scale`.

    Returns:
        float32 `(inputs, units)`.

    >>> kernel = one_input_each(np.random.default_rng(0), 3, 6, 2.0)
    >>> (kernel != 0).sum(axis=0).tolist(), (kernel != 0).sum(axis=1).tolist()
    ([1, 1, 1, 1, 1, 1], [2, 2, 2])
    """
    inputs, units = _checked(rng, inputs=inputs, units=units)
    scale = arguments.number("scale", scale, least=0)
    seen = np.concatenate([rng.permutation(inputs) for _ in range(-(-units // inputs))])[:units]
    kernel = np.zeros((inputs, units), "float32")
    kernel[seen, np.arange(units)] = rng.uniform(-scale, scale, units)
    return kernel


def _checked(rng, **sizes):
    """The sizes, if each is an integer of at least 1, and the generator is one of NumPy."""
    arguments.instance("rng", rng, np.random.Generator, "a `numpy.random.Generator`")
    return [arguments.integer(name, size, least=1) for name, size in sizes.items()]
