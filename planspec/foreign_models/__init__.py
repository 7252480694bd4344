"""Conversion of CPMpy models to tasks.

`import_cpmpy` runs a Python file and writes its model as a task; `import_model` returns a model as a task.
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
