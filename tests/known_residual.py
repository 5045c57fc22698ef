"""Layers of residual units whose weights are known, for `references_residual`. Any backend."""

import numpy as np

from keras_adaptive.layers import ResidualACT, ResidualUnit

CHANNELS, UNITS = 3, 4
SLOPE = 2.0**-3  # A number that float32 holds exactly, as TensorFlow takes it.


def residual_layer(spatial, seed=0, dtype="float64", count=UNITS, **arguments):
    """A layer with random weights and running statistics, so that N differs."""
    units = [ResidualUnit(CHANNELS, negative_slope=SLOPE, dtype=dtype) for _ in range(count)]
    layer = ResidualACT(
        units, spatial, time_penalty=2.0**-4, return_ponder=True, dtype=dtype, **arguments
    )
    layer.build((None, None, None, CHANNELS))
    rng = np.random.default_rng(seed)
    for variable in layer.variables:
        if variable.name in ("time_penalty", "integral", "mean_steps"):
            continue
        value = rng.normal(size=variable.shape) * (0.4 if len(variable.shape) == 4 else 1.0)
        if variable.name in ("moving_variance", "gamma"):
            value = 0.5 + rng.random(variable.shape)
        variable.assign(value)
    for halting_unit in layer.halting_units:
        if not halting_unit.global_logit:
            halting_unit.bias.assign(-0.7)
            continue
        halting_unit.pooled_weight.bias.assign([-0.7])
        halting_unit.pooled_weight.kernel.assign(halting_unit.pooled_weight.kernel * 3)
    return layer


def images(batch=3, size=(6, 5), seed=1):
    """Random images, some of which are brighter, so that the means of their features differ."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(batch, *size, CHANNELS)) + 2 * rng.normal(size=(batch, 1, 1, CHANNELS))


def weights_of(layer):
    """Units and halting units as `references_residual` takes them."""

    def norm(one):
        return [np.array(v) for v in (one.gamma, one.beta, one.moving_mean, one.moving_variance)]

    def pooled(one):
        if not one.global_logit:
            none = np.zeros((CHANNELS, 1))
            return {"pooled_norm": [none[:, 0]] * 3 + [none[:, 0] + 1], "w": none, "b": [one.bias]}
        weights = {"w": one.pooled_weight.kernel, "b": one.pooled_weight.bias}
        return {"pooled_norm": norm(one.pooled_norm)} | {k: np.array(v) for k, v in weights.items()}

    units = [
        {
            "norms": [norm(one) for one in unit.norms],
            "kernels": [np.array(one.kernel) for one in unit.convolutions],
        }
        for unit in layer.units
    ]
    halting = [
        {
            **pooled(one),
            **(
                {"norm": norm(one.norm), "kernel": np.array(one.convolution.kernel)}
                if one.spatial
                else {}
            ),
        }
        for one in layer.halting_units
    ]
    return units, halting
