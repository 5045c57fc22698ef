"""Shows the examples of docstrings as code on the site."""

import re

import griffe

# Lines from `>>> ` to the next empty one.
SESSION = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class Doctests(griffe.Extension):
    """Puts a fence around each session of a docstring."""

    def on_object(self, *, obj, **arguments):
        """Changes the docstring of an object that was read."""
        if obj.docstring:
            obj.docstring.value = SESSION.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
