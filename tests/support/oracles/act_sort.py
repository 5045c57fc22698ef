"""Sort: indices in ascending order, by looking for the smallest number again and again."""


def read(inputs):
    """The numbers up to the flag, and the vectors that follow them."""
    numbers = []
    for step, (number, flag) in enumerate(inputs):
        numbers.append(number)
        if flag == 1:
            return numbers, inputs[step + 1 :]
    raise AssertionError("no number has the flag")


def answer(inputs):
    numbers, _ = read(inputs)
    return [0] * len(numbers) + order(numbers)


def order(numbers):
    left = list(range(len(numbers)))
    ordered = []
    while left:
        smallest = left[0]
        for index in left:
            if numbers[index] < numbers[smallest]:
                smallest = index
        left.remove(smallest)
        ordered.append(smallest)
    return ordered
