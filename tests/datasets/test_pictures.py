"""Pictures of users are read as a person sees them."""

import numpy as np
import pytest
from PIL import Image

from keras_adaptive.datasets.images import read_picture

# Dark at the left, bright at the right.
RAMP = np.tile(np.linspace(0, 1, 20), (10, 1))


@pytest.fixture
def read(tmp_path):
    """Writes an image to a file, and reads it in one channel."""

    def read(image, name="picture.png", **options):
        image.save(tmp_path / name, **options)
        return read_picture(tmp_path / name, 1)[..., 0]

    return read


def test_a_picture_stands_as_its_camera_says(read):
    image = Image.fromarray(np.uint8(255 * RAMP))
    exif = image.getexif()
    exif[0x0112] = 6  # Rotate by 90 degrees, clockwise.
    found = read(image, exif=exif)
    assert found.shape == (20, 10)
    np.testing.assert_allclose(found, RAMP.T, atol=1 / 255)


@pytest.mark.parametrize(("ink", "paper"), [(0, 1), (255, 0)])
@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_ink_stands_out_from_what_is_transparent(read, ink, paper, mode):
    image = Image.new("RGBA", (10, 10), (ink, ink, ink, 0))
    image.paste((ink, ink, ink, 255), (2, 2, 6, 6))
    found = read(image.convert(mode))
    assert (found[2:6, 2:6] == ink / 255).all() and (found == paper).sum() == 84


def test_a_transparent_colour_of_a_palette(read):
    image = Image.new("P", (10, 10))
    image.putpalette([9, 9, 9, 0, 0, 0])
    image.paste(1, (2, 2, 6, 6))
    found = read(image, transparency=0)
    assert (found[2:6, 2:6] == 0).all() and (found == 1).sum() == 84


def test_a_wholly_transparent_picture_is_empty(read):
    assert np.ptp(read(Image.new("RGBA", (10, 10)))) == 0


@pytest.mark.parametrize(
    ("levels", "name"),
    [
        (np.uint16(65535 * RAMP), "picture.png"),
        (np.int32(65535 * RAMP), "picture.tif"),
        (np.int32(255 * RAMP), "picture.tif"),
        (np.float32(RAMP), "picture.tif"),
        (np.float32(255 * RAMP), "picture.tif"),
        (np.float32(1e6 * RAMP), "picture.tif"),
    ],
)
def test_levels_of_more_bits_are_scaled(read, levels, name):
    np.testing.assert_allclose(read(Image.fromarray(levels), name), RAMP, atol=1 / 255)


def test_dark_16_bits_stay_dark_and_no_number_is_black(read):
    assert read(Image.fromarray(np.full((10, 10), 600, np.uint16))).max() == np.float32(2 / 255)
    levels = np.float32(RAMP)
    levels[0] = np.nan
    assert read(Image.fromarray(levels), "picture.tif")[0].max() == 0


def test_a_narrow_picture_is_refused_with_its_own_size(tmp_path):
    Image.new("L", (2000, 8)).save(tmp_path / "picture.png")
    with pytest.raises(ValueError, match=r"at least 8 × 8 .* Received: 8 × 2000"):
        read_picture(tmp_path / "picture.png", 1, least=8)
