"""Models of other languages as tasks: CPMpy's.

`import_cpmpy` runs a Python file and writes the task of its model; `import_model` returns the task of a model.
"""

from planspec.foreign_models.document import ImportedModel, Source, import_model
from planspec.foreign_models.importing import ModelImport, import_cpmpy
from planspec.foreign_models.values import InexpressibleModelError

__all__ = [
    "ImportedModel",
    "InexpressibleModelError",
    "ModelImport",
    "Source",
    "import_cpmpy",
    "import_model",
]
