"""What data sets of images share: pictures of users as a network reads them."""

from .picture import read_picture

__all__ = ["read_picture"]
