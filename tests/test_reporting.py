"""What layers tell models past Keras: by kind, to all who listen, within a thread."""

import threading

import pytest

from keras_adaptive.reporting import ThreadValue, record, report


def test_an_entry_goes_to_all_open_records_of_its_kind():
    with record("a") as outer, record("b") as other:
        report("a", 1)
        with record("a") as inner:
            report("a", 2)
        report("a", 3)
    report("a", 4)
    assert (outer, inner, other) == ([1, 2, 3], [2], [])


def test_records_that_are_equal_are_told_apart():
    with record("a") as outer:
        with record("a"):
            pass
        report("a", 1)
    assert outer == [1]


def test_an_error_closes_a_record():
    with pytest.raises(ZeroDivisionError), record("a") as entries:
        1 / 0  # noqa: B018
    report("a", 1)
    assert entries == []


def in_another_thread(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


def test_other_threads_hear_nothing():
    with record("a") as entries:
        in_another_thread(lambda: report("a", 1))
    assert entries == []


def test_a_value_of_each_thread():
    value, seen = ThreadValue("first"), []

    def other():
        seen.append(value.value)
        value.value = "theirs"

    with value.holding("held"):
        in_another_thread(other)
        seen.append(value.value)
    assert [*seen, value.value] == ["first", "held", "first"]
