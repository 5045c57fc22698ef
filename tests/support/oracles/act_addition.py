"""Addition: running sums of Python's integers, digit by digit."""


def read(inputs):
    """The numbers of a sequence as texts, without padding."""
    numbers = []
    for vector in inputs:
        text = ""
        for chunk in range(0, len(vector), 10):
            ones = [index for index in range(10) if vector[chunk + index]]
            assert len(ones) <= 1
            text += str(ones[0]) if ones else "-"
        digits = text.rstrip("-")
        assert "-" not in digits, "digits fill the first chunks"
        if digits:
            numbers.append(digits)
    return numbers


def answer(inputs):
    return sums(read(inputs), len(inputs[0]) // 10 + 1)


def sums(numbers, outputs):
    """Digits of the running sums, then the marker 10 up to the number of outputs."""
    results, total = [], 0
    for number in numbers:
        total += int(number)
        digits = [int(digit) for digit in str(total)]
        results.append(digits + [10] * (outputs - len(digits)))
    return results
