"""A mixin for models that are exported for inputs of any size."""

from pathlib import Path
from typing import Any


class FreeSizes:
    """A mixin for models whose SavedModel takes inputs of any batch size and length.

    Of a model with a `call` of its own, Keras would export one for the length that it saw first.
    """

    def signature(self) -> Any:
        """A nest of `keras.InputSpec`, of the inputs of an exported model; None for Keras's."""
        raise NotImplementedError

    def export(
        self,
        filepath: str | Path,
        format: str = "tf_saved_model",
        verbose: Any = None,
        input_signature: Any = None,
        **kwargs: Any,
    ) -> Any:
        """As `keras.Model.export`; the exported model takes any batch size and length."""
        signature = self.signature() if input_signature is None else None
        if signature is not None:
            input_signature = [signature]
        return super().export(  # type: ignore[misc]
            filepath, format, verbose, input_signature, **kwargs
        )

    @property
    def _default_save_signature(self):
        return None
