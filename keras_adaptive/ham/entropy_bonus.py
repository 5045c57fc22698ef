"""An entropy bonus that decays while a network is trained."""

from keras import ops

from .. import arguments
from ..scalar_weight import add_scalar, number_in, set_number
from ..types import Tensor

_FLOOR = 1e-3  # Added to H, so that 1 / H and its slope stay finite.


def openness_of(entropy: Tensor) -> Tensor:
    """1 / H, for the entropy H of a turn or the mean entropy of several turns.

    >>> round(float(openness_of(np.array(0.5))), 3)
    1.996
    """
    return 1.0 / (entropy + _FLOOR)


class EntropyBonus:
    """A mixin for models and layers: an entropy bonus α and its decay, as weights."""

    _entropy_bonus = _entropy_decay = None

    def _check_entropy_bonus(self, bonus, decay):
        """Keeps the arguments, for `get_config`."""
        self.initial_entropy_bonus = _bonus(bonus)
        self.initial_entropy_decay = _decay(decay)

    def _add_entropy_bonus(self):
        self._entropy_bonus = add_scalar(self, "entropy_bonus", self.initial_entropy_bonus)
        self._entropy_decay = add_scalar(self, "entropy_decay", self.initial_entropy_decay)

    @property
    def entropy_bonus(self) -> float:
        """The current α, a float; it can be set at any time, also while training.

        On JAX, a callback within an epoch calls `self.model.jax_state_sync()` before.
        """
        if self._entropy_bonus is None:
            return self.initial_entropy_bonus
        return number_in(self._entropy_bonus)

    @entropy_bonus.setter
    def entropy_bonus(self, value: float) -> None:
        set_number(self._weight(self._entropy_bonus), _bonus(value))

    @property
    def entropy_decay(self) -> float:
        """The factor of α after each step, a float; it can be set at any time."""
        if self._entropy_decay is None:
            return self.initial_entropy_decay
        return number_in(self._entropy_decay)

    @entropy_decay.setter
    def entropy_decay(self, value: float) -> None:
        set_number(self._weight(self._entropy_decay), _decay(value))

    def _weight(self, weight):
        if weight is None:
            raise ValueError(
                f"'{self.name}' was made without an entropy bonus and has none to change: give "
                "`entropy_bonus`, above 0, where it is made."
            )
        return weight

    def _bonus_of_this_step(self):
        """α as a tensor; multiplies the weight by the decay, for the next step."""
        now = ops.copy(self._entropy_bonus)
        self._entropy_bonus.assign(self._entropy_bonus * self._entropy_decay)
        return now


def _bonus(value):
    return arguments.number("entropy_bonus", value, least=0)


def _decay(value):
    return arguments.number("entropy_decay", value, above=0, most=1)
