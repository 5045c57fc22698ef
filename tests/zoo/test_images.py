"""Networks for images: what the family measures, answers, draws and serves, on a small network."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf
from PIL import Image

from keras_adaptive import datasets
from keras_adaptive.datasets.cifar10 import cifar10
from keras_adaptive.datasets.digit_canvas import digit_canvas
from keras_adaptive.export import uncompiled
from keras_adaptive.models import AdaptiveResNet
from keras_adaptive.zoo import families, recipes
from keras_adaptive.zoo.cli import main
from keras_adaptive.zoo.entries.card import command
from keras_adaptive.zoo.entries.export import write_saved_model
from keras_adaptive.zoo.families.images import card
from keras_adaptive.zoo.training.train import train

SMALL = {"residual_units": 2, "channels": [2, 3], "side": 16}


@pytest.fixture(scope="module")
def family():
    return families.of(recipes.load("sact_digits").with_overrides(SMALL))


@pytest.fixture(scope="module")
def model(family):
    keras.utils.set_random_seed(0)
    model = family.build()
    for block in ("block_1", "block_2"):  # Some halt after the first unit.
        model.get_layer(block).halting_units[0].bias.assign(3.0)
        kernel = model.get_layer(block).halting_units[0].convolution.kernel
        kernel.assign(np.random.default_rng(0).normal(size=kernel.shape) * 5)
    return model


@pytest.fixture(scope="module")
def picture(tmp_path_factory):
    """A canvas as dark ink on paper."""
    canvas = digit_canvas.sample(np.random.default_rng(0), 1, side=20, noise=0.0)["inputs"][0]
    path = tmp_path_factory.mktemp("pictures") / "digit.png"
    Image.fromarray(np.uint8(255 * (1 - canvas[..., 0]))).save(path)
    return str(path), canvas


def test_measures_accuracy_flops_and_units(family, model):
    probe = family.probe(model)
    results = family.measure(probe, 30)
    found = family.summary(results)
    assert found["accuracy"] == pytest.approx(1 - found["sequence_error"], abs=1e-6)
    batch = datasets.batch("digit_canvas", 30, 0, split="test", side=16, noise=0.2)
    steps = model.units_taken(batch["inputs"])
    np.testing.assert_allclose(results["flops"], model.flops(batch["inputs"]))
    assert found["flops_share"] == pytest.approx(
        model.flops(batch["inputs"]).mean() / model.plain_flops((16, 16)), abs=1e-4
    )
    (row, column), first = batch["box"][0], steps[0][0]
    inside = first[row : row + 8, column : column + 8]
    assert results["units_inside"][0] == pytest.approx(inside.mean())
    outside = (first.sum() - inside.sum()) / (16 * 16 - 64)
    assert results["units_outside"][0] == pytest.approx(outside)
    assert results["ponder_steps"][0] == pytest.approx(np.mean([x[0].mean() for x in steps]))
    assert 1 < first.mean() < 2
    classes = sorted(set(map(str, batch["targets"][:, 0].tolist())))
    assert [row["class"] for row in family.by_difficulty(results)] == classes


def test_flops_of_all_units_are_those_of_the_plain_network(family, model):
    full = [np.full((1, 16, 16), 2), np.full((1, 8, 8), 2)]
    halting = 16 * 16 * 9 * 2 + 8 * 8 * 9 * 3
    assert model.flops_of(full, (16, 16))[0] == model.plain_flops((16, 16)) + 2 * halting
    # By hand: stem, 4 convolutions of 2 channels, then of 2 to 3 and 3 to 3, shortcut, answer.
    positions = 16 * 16 * (9 * 2 + 4 * 9 * 4) + 8 * 8 * (9 * 6 + 3 * 9 * 9 + 6)
    assert model.plain_flops((16, 16)) == 2 * (positions + 3 * 10)


def test_a_single_call_answers_the_same_without_a_graph(family, model):
    probe = family.probe(model)
    inputs = datasets.batch("digit_canvas", 3, 1, split="test", side=16, noise=0.2)["inputs"]
    again, once = probe(inputs), probe.once(inputs)
    assert again.keys() == once.keys()
    for one, other in zip(*map(keras.tree.flatten, (again, once)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_answers_and_draws_a_picture(family, model, picture, tmp_path):
    path, canvas = picture
    np.testing.assert_allclose(digit_canvas.encode(path)[0], canvas, atol=1 / 255)
    probe = family.probe(model)
    answer = json.loads(json.dumps(family.predict(probe, path)))
    outputs = model.predict(canvas[None], verbose=0)[0]
    assert answer["answer"] == str(outputs.argmax())
    assert answer["confidence"] == pytest.approx(outputs.max(), abs=0.01)
    assert f"answer: {answer['answer']} (" in family.format_answer(answer)
    out = family.draw(tmp_path / "map.png", probe, canvas[None], [3])
    assert out.stat().st_size > 1000


def test_a_picture_that_is_shrunk_says_so(capsys, tmp_path):
    Image.new("L", (1030, 515)).save(tmp_path / "large.png")
    assert main(["predict", "sact_digits", str(tmp_path / "large.png")]) == 0
    assert capsys.readouterr().err == (
        f"keras-adaptive: warning: '{tmp_path}/large.png' is shrunk from 515 × 1030 to 512 × 1024 "
        "pixels, and everything on it with it\n"
    )


def test_what_is_no_picture(tmp_path):
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(ValueError, match=r"text\.png' is not a picture"):
        digit_canvas.encode(str(tmp_path / "text.png"))
    with pytest.raises(FileNotFoundError, match="there is no picture"):
        digit_canvas.encode(str(tmp_path / "nothing.png"))
    Image.new("L", (4, 20)).save(tmp_path / "small.png")
    with pytest.raises(ValueError, match="at least 8 × 8"):
        digit_canvas.encode(str(tmp_path / "small.png"))


def test_the_saved_model_answers_canvases_of_any_size(family, model, tmp_path):
    copy = uncompiled(model)
    assert type(copy) is AdaptiveResNet
    write_saved_model(copy, family, tmp_path)
    served = tf.saved_model.load(str(tmp_path))
    for side in (16, 20):
        canvases = digit_canvas.sample(np.random.default_rng(1), 3, side=side)["inputs"]
        found = served.serve(canvases)
        expected = family.probe(model)(canvases)
        np.testing.assert_allclose(found["outputs"], expected["outputs"][:, 0], atol=1e-5)
        np.testing.assert_array_equal(found["steps_0"], expected["steps"][0])
        limited = served.serve_with_limits(canvases, tf.constant(1))
        np.testing.assert_array_equal(limited["steps_1"], 1)


def test_side_is_for_images_alone(family):
    assert family.evaluation_parameters({"side": 64, "bits": None}) == {"side": 64}
    with pytest.raises(ValueError, match="--length"):
        family.evaluation_parameters({"side": None, "length": 5})


@pytest.mark.usefixtures("eager")
def test_images_without_a_box_have_no_units_inside(monkeypatch, tmp_path):
    images = np.random.default_rng(0).integers(0, 256, (30, 32, 32, 3), np.uint8)
    monkeypatch.setattr(cifar10, "read", lambda split: (images, np.arange(30) % 10))
    small = {"residual_units": 2, "channels": [2, 3]}
    family = families.of(recipes.load("sact_cifar10").with_overrides(small))
    probe = family.probe(family.build())
    metrics = {**family.summary(family.measure(probe, 20)), "sides": []}
    results = family.measure(probe, 20)
    metrics["by_difficulty"] = family.by_difficulty(results)
    metrics["by_answer"] = rows = family.by_answer(results)
    assert sum(row["examples"] for row in rows) == 20
    assert all(row["accuracy"] == (row["answer"] == "right") for row in rows)
    settings = {"overrides": small, "steps_scale": None}
    run = {"variant": "sact", "training_seed": 0, "steps": 1, "settings": settings}
    metrics["runs"] = [{**metrics, **run}]
    assert "units_inside" not in family.run_metrics and "units_inside" not in metrics
    assert "inside" not in family.describe(metrics)
    text = card.results(family.recipe, metrics)
    assert "inside" not in text and "| airplane | " in text and "| wrong | " in text
    Image.fromarray(images[0]).save(tmp_path / "picture.png")
    assert family.predict(probe, str(tmp_path / "picture.png"))["answer"] in cifar10.CLASSES
    with pytest.raises(ValueError, match="--side"):
        family.evaluation_parameters({"side": 64})


@pytest.mark.usefixtures("eager")
def test_nothing_is_outside_of_a_digit_that_fills_its_canvas(family):
    probe = family.probe(family.build())
    metrics = family.summary(family.measure(probe, 3, parameters={"side": 8}))
    assert "units_inside" in metrics and "units_outside" not in metrics
    assert "inside the digit" in family.describe(metrics)
    assert "outside" not in family.describe(metrics)


@pytest.mark.usefixtures("eager")
def test_the_entry_answers_on_the_command_line(picture, capsys):
    path, _ = picture
    assert main(["predict", "sact_digits", path, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["answer"] in digit_canvas.CLASSES and 0 < answer["flops_share"] < 1


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("variant", ["act", "plain"])
def test_variants(variant):
    recipe = recipes.load("sact_digits").with_overrides(SMALL).with_variant(variant)
    kind = families.of(recipe)
    found = kind.measure(kind.probe(kind.build()), 4)
    assert found["flops_share"] == pytest.approx(1, abs=0.05)


@pytest.mark.slow
@pytest.mark.usefixtures("eager", "few_validated")
def test_a_training_in_bfloat16_starts_from_the_weights_of_another(tmp_path, capsys):
    small = {**SMALL, "batch_size": 4, "validate_every": 2}
    small |= {f"stages.{i}.{name}": 2 for i in (0, 1) for name in ("steps", "chunk")}
    plain = train("sact_digits", tmp_path / "plain", variant="plain", overrides=small)
    kinds = {"overrides": small, "precision": "mixed_bfloat16", "seed": 3}
    begun = train("sact_digits", tmp_path / "new", weights=plain.folder, until_step=0, **kinds)
    kernel = plain.model.get_layer("stem").kernel
    np.testing.assert_array_equal(begun.model.get_layer("stem").kernel, kernel)
    run = train("sact_digits", tmp_path / "new", resume=True)
    whole = train("sact_digits", tmp_path / "whole", weights=plain.folder, **kinds)
    for resumed, own in zip(run.model.get_weights(), whole.model.get_weights(), strict=True):
        np.testing.assert_array_equal(resumed, own)
    exact = train("sact_digits", tmp_path / "exact", **{**kinds, "precision": "float32"})
    assert not np.array_equal(exact.model.get_weights()[0], whole.model.get_weights()[0])
    # What is measured and published computes in float32, and says how it was trained.
    assert run.model.compute_dtype == "float32"
    metrics = {"settings": run.settings, "training_backend": "tensorflow", "training_seed": 3}
    first, second = command(run.recipe, metrics).splitlines()
    assert first.endswith(f"--out {plain.folder}") and "--variant plain" in first
    assert second.endswith(f"--weights {plain.folder}") and "--precision mixed_bfloat16" in second
    with pytest.raises(ValueError, match="precision must be one of float32, mixed_bfloat16"):
        train("sact_digits", tmp_path / "other", precision="float16")
    words = ["train", "sact_digits", "--out", str(tmp_path / "new")]
    assert main([*words, "--weights", str(plain.folder), "--resume"]) == 2
    assert "leave out --resume" in capsys.readouterr().err
    assert main([*words[:3], str(tmp_path / "b"), "--weights", str(tmp_path / "nothing")]) == 2
    assert "no checkpoint" in capsys.readouterr().err and not (tmp_path / "b").exists()


def test_max_pooling_answers_what_is_somewhere_on_any_canvas():
    model = AdaptiveResNet((None, None, 1), 3, units=1, filters=(2, 3), pooling="max")
    canvas = np.zeros((1, 24, 24, 1), "float32")
    canvas[0, 8:12, 8:12] = np.random.default_rng(0).normal(size=(4, 4, 1))
    larger = np.pad(canvas, [(0, 0), (0, 24), (0, 24), (0, 0)])
    np.testing.assert_allclose(model(larger), model(canvas), atol=1e-6)
    assert AdaptiveResNet.from_config(model.get_config()).get_layer("pool").__class__ is (
        keras.layers.GlobalMaxPooling2D
    )
    with pytest.raises(ValueError, match="`pooling`"):
        AdaptiveResNet((8, 8, 1), pooling="sum")


def test_a_target_ponder_without_halting_is_refused():
    with pytest.raises(ValueError, match="`target_ponder` is for halting='act' or 'sact'"):
        AdaptiveResNet((8, 8, 1), halting=None, target_ponder=2.0)


@pytest.mark.parametrize("policy", ["float32", "mixed_bfloat16"])
def test_files_keep_what_is_frozen_and_the_policy(policy, tmp_path):
    before = keras.config.dtype_policy()
    model = AdaptiveResNet((8, 8, 1), 3, units=2, filters=(2, 3), dtype=policy)
    assert keras.config.dtype_policy() == before
    for name in ("stem", "block_1"):
        model.get_layer(name).trainable = False
    model.get_layer("block_2").units[0].trainable = False
    model.save(tmp_path / "model.keras")
    keras.config.set_dtype_policy("mixed_float16")
    try:
        loaded = keras.models.load_model(tmp_path / "model.keras")
    finally:
        keras.config.set_dtype_policy(before)
    paths = [variable.path for variable in model.trainable_variables]
    assert [variable.path for variable in loaded.trainable_variables] == paths
    for found in (model, loaded):
        assert found.dtype_policy.name == found.get_layer("block_2").dtype_policy.name == policy
    images = np.ones((2, 8, 8, 1), "float32")
    np.testing.assert_array_equal(loaded(images), model(images))


def test_a_file_of_a_frozen_model_whose_units_were_counted(tmp_path):
    model = AdaptiveResNet((8, 8, 1), 3, units=2, filters=(2,))
    before = len(model._flatten_layers())
    model.units_taken(np.ones((1, 8, 8, 1)))
    assert len(model._flatten_layers()) == before
    model.trainable = False
    model.layers[-1].trainable = True
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert not loaded.trainable and loaded.trainable_weights == model.trainable_weights == []
    assert [x.trainable for x in loaded.layers] == [x.trainable for x in model.layers]
