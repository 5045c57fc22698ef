"""Long binary multiplication by the paper's baseline: an LSTM with attention."""

from .neural_gpu_addition_lstm import RECIPE as ADDITION

RECIPE = ADDITION.replace(
    name="neural_gpu_multiplication_lstm",
    dataset="neural_gpu_multiplication",
    task=(
        "Two binary numbers of d digits each, the least significant first, with a multiplication "
        "sign between them. The answer is their product, written until the network's own end "
        "symbol."
    ),
    test_data_seen=(),
    # It did not measure 100 digits.
    paper={"cell": "LSTM+A, 3 layers of 64 units", "error": "100 %", "errors": {"100": "–"}},
)
