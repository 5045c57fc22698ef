"""The processor that a training runs on, if it is not a CPU."""

import keras


def accelerator() -> str | None:
    """The name of the accelerator that Keras computes on, or None."""
    match keras.config.backend():
        case "tensorflow":
            import tensorflow as tf

            found = tf.config.list_physical_devices("GPU")
            details = tf.config.experimental.get_device_details(found[0]) if found else {}
            return details.get("device_name")
        case "jax":
            import jax

            device = jax.devices()[0]
            return None if device.platform == "cpu" else device.device_kind
        case "torch":
            import torch

            return torch.cuda.get_device_name() if torch.cuda.is_available() else None
    return None
