"""The endpoints of a SavedModel whose one limit is `max_ponder`."""

from ... import halting


def add_with_max_ponder(archive, probe, inputs):
    """Give a SavedModel `serve` (also `serving_default`) and `serve_with_limits`.

    `serve` takes `inputs`, `serve_with_limits` also `max_ponder`, an int32 scalar.

    Args:
        archive: a `keras.export.ExportArchive`.
        probe: a model from inputs to a dict of outputs.
        inputs: a `tf.TensorSpec`.
    """
    import tensorflow as tf

    def serve(inputs):
        # A batch costs what its rows think, not its size times the longest thought.
        with halting.compaction():
            return probe(inputs)

    def with_limits(inputs, max_ponder):
        with halting.limits(max_ponder=max_ponder):
            return serve(inputs)

    limit = tf.TensorSpec((), "int32", name="max_ponder")
    archive.add_endpoint("serve", serve, input_signature=[inputs])
    archive.add_endpoint("serve_with_limits", with_limits, input_signature=[inputs, limit])
