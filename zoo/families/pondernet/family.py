"""The family of PonderNets (Banino et al. 2021)."""

from typing import ClassVar

from .... import export, plots
from ...entries import lengths
from ...entries.figures import Measurement
from ..act.family import ACT
from . import card, network
from .network import LAYER, Probe


class PonderNetFamily(ACT):
    """PonderNets, which learn the probability to halt, and the same networks with other halting.

    They are trained on vectors with few non-zeros and tested on vectors with many.
    """

    networks: ClassVar = {"pondernet": network.build}
    columns = (*ACT.columns, "divergence", "longer_error", "longer_ponder_steps")
    logged_metrics = (*ACT.logged_metrics, "divergence")
    run_metrics = (*ACT.run_metrics, "longer_error", "longer_ponder_steps")
    limits = ("max_ponder", "within")
    text = card
    validated_longer = ("ponder_steps",)

    @property
    def is_pondernet(self):
        """Whether the network is a PonderNet and not a variant with ACT or fixed steps."""
        return self.recipe.hyperparameters["halting"] == "pondernet"

    def halting_layers(self, model):
        """That of a variant with ACT; a PonderNet has no τ."""
        return [] if self.is_pondernet else super().halting_layers(model)

    def validation_metrics(self, probe, examples, seed=None, parameters=None, kind="validation"):
        """Error and ponder on validation data, and on examples longer than in training."""
        measure = super().validation_metrics
        longer = measure(probe, examples, seed, self.beyond(), "longer")
        return {**measure(probe, examples, seed, parameters, kind), **longer}

    def selection_metrics(self, run, examples):
        """As `validation_metrics`, and the rows of each difficulty beyond training."""
        kinds = {"split": "validation", "seed": 0, "parameters": self.beyond()}
        results = self.measure(self.probe(run.model), examples, **kinds)
        metrics = super().selection_metrics(run, examples)
        return {**metrics, "longer_by_difficulty": self.by_difficulty(results)}

    def beyond(self):
        """The data set's parameters of all lengths beyond those of training."""
        parameters = self.recipe.parameters
        return lengths.between(self.recipe, (parameters["length"] + 1, parameters["bits"]))

    def probe(self, model):
        """The model, which may be of any variant, with its numbers of steps."""
        ponders = any(layer.name == LAYER for layer in model.layers)
        return Probe(model) if ponders else super().probe(model)

    def entry_metrics(self, run, model, trainings, request):
        """The rows of the figure, those of other kinds of halting, and results beyond training.

        Returns:
            A dict as in `ACT.entry_metrics`, with `beyond`, as in `Family.summary`, and `curves`,
            from names of other kinds of halting to rows as in `by_difficulty`: of the training that
            has the least error on validation data.
        """
        kinds = {"seed": request.seed, "parameters": self.beyond()}
        summary_beyond = self.summary(self.measure(self.probe(model), request.examples, **kinds))
        return {
            **super().entry_metrics(run, model, trainings, request),
            "beyond": {**self.beyond(), **summary_beyond},
            "curves": self.curves(trainings),
        }

    def curves(self, trainings):
        """The rows of each difficulty of the best training of the other kinds of halting."""
        curves = {}
        for training in sorted(trainings, key=lambda training: training["validation_error"]):
            name = card.name_of(training)
            if training["variant"] != self.recipe.variant and "longer_by_difficulty" in training:
                rows = [*training["by_difficulty"], *training["longer_by_difficulty"]]
                curves.setdefault(name, rows)
        return curves

    def draw_card(self, folder, model, metrics, history):
        """Write the picture of errors and steps against difficulty."""
        curves = {card.NAMES["pondernet"]: metrics["figure"], **metrics["curves"]}
        label = self.recipe.figure.label
        path = folder / "ponder.png"
        plots.ponder_against_difficulty(path, curves, label, cost="ponder_steps")

    def measurements(self, metrics):
        """Those of ACT, and the examples beyond training."""
        beyond = Measurement("beyond training", metrics["beyond"], self.beyond())
        return [*super().measurements(metrics), beyond]

    def add_endpoints(self, archive, model):
        """Give the SavedModel its endpoints, with free batch size.

        They return a dict of `outputs`, the probability that the answer is 1 (batch, 1, 1), and
        `ponder` and `ponder_steps` (batch, 1): `serve` (also `serving_default`) takes vectors
        (batch, 1, width), `serve_with_limits` also `max_ponder`.
        """
        if not self.is_pondernet:
            super().add_endpoints(archive, model)
            return
        given = model.inputs[0]
        shape = (None, *given.shape[1:])
        export.add_endpoints(archive, Probe(model).model, shape, given.dtype, ("max_ponder",))

    def set_limit(self, model, name, value):
        """Set `max_ponder` of the layer."""
        if self.is_pondernet:
            model.get_layer(LAYER).max_ponder = value
        else:
            super().set_limit(model, name, value)

    def evaluation_parameters(self, wanted):
        """The data set's parameters for a length, or for the least and the largest.

        Args:
            wanted: a dict of `bits`, `length` and `probe`, each of which may be None.

        Raises:
            ValueError: `bits` or `probe` is given.
        """
        length = wanted.get("length")
        super().evaluation_parameters({**wanted, "length": None})
        return {} if length is None else lengths.between(self.recipe, length)
