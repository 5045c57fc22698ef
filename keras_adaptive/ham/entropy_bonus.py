"""An entropy bonus that decays while a network is trained."""

from numbers import Real

import keras
from keras import ops

_FLOOR = 1e-3  # Added to H, so that 1 / H and its slope stay finite.


def openness_of(entropy):
    """1 / H, for the entropy H of a turn, or of the mean of some.

    >>> round(float(openness_of(np.array(0.5))), 3)
    1.996
    """
    return 1.0 / (entropy + _FLOOR)


class EntropyBonus:
    """What has an entropy bonus α and its decay as weights; a part of models and layers."""

    _entropy_bonus = _entropy_decay = None

    def _check_entropy_bonus(self, bonus, decay):
        """Keeps the arguments, for `get_config`."""
        self.initial_entropy_bonus = number("entropy_bonus", bonus, 0.0)
        self.initial_entropy_decay = number("entropy_decay", decay, 0.0, 1.0)

    def _add_entropy_bonus(self):
        self._entropy_bonus = self._scalar("entropy_bonus", self.initial_entropy_bonus)
        self._entropy_decay = self._scalar("entropy_decay", self.initial_entropy_decay)

    def _scalar(self, name, value):
        return self.add_weight(
            shape=(),
            initializer=keras.initializers.Constant(value),
            trainable=False,
            dtype="float32",
            autocast=False,
            name=name,
        )

    @property
    def entropy_bonus(self):
        """α as it stands, a float; set it at any time, also while training."""
        if self._entropy_bonus is None:
            return self.initial_entropy_bonus
        return float(ops.convert_to_numpy(self._entropy_bonus))

    @entropy_bonus.setter
    def entropy_bonus(self, value):
        self._weight(self._entropy_bonus).assign(number("entropy_bonus", value, 0.0))

    @property
    def entropy_decay(self):
        """What α is multiplied by after each step, a float; set it at any time."""
        if self._entropy_decay is None:
            return self.initial_entropy_decay
        return float(ops.convert_to_numpy(self._entropy_decay))

    @entropy_decay.setter
    def entropy_decay(self, value):
        self._weight(self._entropy_decay).assign(number("entropy_decay", value, 0.0, 1.0))

    def _weight(self, weight):
        if weight is None:
            raise ValueError(
                f"'{self.name}' was made without an entropy bonus and has none to change: give "
                "`entropy_bonus`, above 0, where it is made."
            )
        return weight

    def _bonus_of_this_step(self):
        """α as a tensor, which is multiplied by the decay for the step after this one."""
        now = ops.copy(self._entropy_bonus)
        self._entropy_bonus.assign(self._entropy_bonus * self._entropy_decay)
        return now


def number(name, value, least, most=None):
    """A number of at least `least`, and of at most `most`, as a float.

    Raises:
        ValueError: it is none.

    >>> number("discount", 1.5, 0.0, 1.0)
    Traceback (most recent call last):
        ...
    ValueError: Argument `discount` must be a number in [0, 1]. Received: discount=1.5
    """
    allowed = f">= {least:g}" if most is None else f"in [{least:g}, {most:g}]"
    wrong = isinstance(value, bool) or not isinstance(value, Real) or not value >= least
    if wrong or (most is not None and value > most):
        raise ValueError(
            f"Argument `{name}` must be a number {allowed}. Received: {name}={value!r}"
        )
    return float(value)
