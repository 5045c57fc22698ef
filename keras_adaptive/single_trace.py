"""A mixin for models whose training TensorFlow traces once."""

from typing import Any


class SingleTrace:
    """A mixin for models that have all weights, the optimizer's too, before `fit` traces them.

    TensorFlow traces a function a second time if variables were created in the first trace, and
    Keras creates those of the optimizer there.
    """

    # Of `keras.Model`.
    built: bool
    optimizer: Any
    trainable_variables: list

    def make_train_function(self, force: bool = False) -> Any:
        """As that of `keras.Model`."""
        if not self.built:
            self._build_for_any_inputs()
        if self.built and self.optimizer is not None and not self.optimizer.built:
            self.optimizer.build(self.trainable_variables)
        return super().make_train_function(force)  # type: ignore[misc]

    def _build_for_any_inputs(self):
        """Builds the model where its weights do not depend on the shape of its inputs."""
