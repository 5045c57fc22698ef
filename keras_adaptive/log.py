"""How a layer tells whoever called it something of the call that is no output."""

import contextlib
import threading


class Log(threading.local):
    """What layers report goes to every list that is open in this thread.

    Example:

    >>> log = keras_adaptive.log.Log()
    >>> with log.record() as entries:
    ...     log.report("an entry")
    >>> entries
    ['an entry']
    """

    def __init__(self):
        self.open = []

    @contextlib.contextmanager
    def record(self):
        """Collects what is reported inside the context.

        Contexts nest; each entry goes to every open one. Tensors of a trace must not be used after
        that trace, so read the list where the layers were called.

        Yields:
            A list.
        """
        entries = []
        self.open.append(entries)
        try:
            yield entries
        finally:
            # Not `remove`, which would take any list that is equal.
            self.open = [one for one in self.open if one is not entries]

    def report(self, entry):
        """Adds an entry to every open list."""
        for entries in self.open:
            entries.append(entry)
