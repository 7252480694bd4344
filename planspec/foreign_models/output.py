"""JSON output of importing a model."""

from __future__ import annotations

from typing import Literal

from planspec.api.outputs.base import Output
from planspec.foreign_models.importing import ModelImport


class ModelImportOutput(Output):
    """The result of importing a model.

    Attributes:
        task: id of the task.
        file: path of the task.
        variables: number of decision variables of the model.
        constraints: number of constraints of the model.
        auxiliary: number of added variables, whose values follow from the other variables.
        objective: sense of the model's objective; null if it has none.
    """

    task: str
    file: str
    variables: int
    constraints: int
    auxiliary: int
    objective: Literal["minimize", "maximize"] | None

    @classmethod
    def of(cls, result: ModelImport) -> ModelImportOutput:
        """Return an import as JSON output."""
        model = result.model
        return cls(
            task=result.task,
            file=str(result.file),
            variables=model.variables,
            constraints=model.constraints,
            auxiliary=model.auxiliary,
            objective=model.objective,
        )
