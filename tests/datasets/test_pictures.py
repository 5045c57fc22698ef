"""Pictures of users are read as a person sees them."""

import os
import warnings

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


@pytest.mark.parametrize("top", [1, 255])
def test_floating_point_numbers_with_noise_are_clipped(read, top):
    levels = np.float32(top * RAMP)
    levels[0] = 1.7 * top
    levels[1] = -0.3 * top
    found = read(Image.fromarray(levels), "picture.tif")
    assert (found[0] == 1).all() and (found[1] == 0).all()
    np.testing.assert_allclose(found[2:], RAMP[2:], atol=1 / 255)


def test_dark_16_bits_stay_dark_and_no_number_is_black(read):
    assert read(Image.fromarray(np.full((10, 10), 600, np.uint16))).max() == np.float32(2 / 255)
    levels = np.float32(RAMP)
    levels[0] = np.nan
    assert read(Image.fromarray(levels), "picture.tif")[0].max() == 0


def test_a_narrow_picture_is_refused_with_its_own_size(tmp_path):
    Image.new("L", (2000, 8)).save(tmp_path / "picture.png")
    with (
        pytest.warns(UserWarning, match="is shrunk from 8 × 2000 to 4 × 1024"),
        pytest.raises(ValueError, match=r"at least 8 × 8 .* Received: 8 × 2000"),
    ):
        read_picture(tmp_path / "picture.png", 1, least=8)


def test_only_a_larger_picture_is_shrunk_and_says_so(tmp_path):
    for side in (1024, 1025):
        Image.new("L", (side, 300)).save(tmp_path / f"{side}.png")
    assert read_picture(tmp_path / "1024.png", 1).shape == (300, 1024, 1)
    with pytest.warns(UserWarning, match="1025.png' is shrunk from 300 × 1025 to 300 × 1024"):
        assert read_picture(tmp_path / "1025.png", 1).shape == (300, 1024, 1)


def test_a_picture_that_is_too_large_to_read(tmp_path, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    Image.new("1", (15, 15), 1).save(tmp_path / "picture.png")
    with pytest.raises(ValueError, match=r"at most 200 pixels in all\. .* more, in .*png"):
        read_picture(tmp_path / "picture.png", 1)


# Pillow raises another error for each.
@pytest.mark.parametrize("place", [0, 8, 11, 35])
def test_a_damaged_picture_is_none(tmp_path, place):
    path = tmp_path / "picture.png"
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (16, 16), np.uint8)).save(path)
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"picture.png' is not a picture"):
        read_picture(path, 1)


def test_a_large_picture_is_read_without_a_warning(tmp_path, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    Image.new("1", (15, 12), 1).save(tmp_path / "picture.png")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_picture(tmp_path / "picture.png", 1).shape == (12, 15, 1)


@pytest.mark.parametrize("channels", [1, 3])
def test_colours_of_other_spaces(tmp_path, channels):
    Image.new("LAB", (10, 10), (255, 128, 128)).save(tmp_path / "picture.tif")
    assert read_picture(tmp_path / "picture.tif", channels).shape == (10, 10, channels)


def test_what_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.png")
    for path in (tmp_path, tmp_path / "pipe.png"):
        with pytest.raises(ValueError, match="must be a file, not a folder or a pipe"):
            read_picture(path, 1)
    with pytest.raises(FileNotFoundError, match="there is no picture"):
        read_picture(tmp_path / "none.png", 1)
