"""`stacksim COMMAND --schema`: the JSON schema of what --json prints, from the type of its record."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema


class _Printed(GenerateJsonSchema):
    """A schema in which a field with a default is required, as it is printed, too."""

    def field_is_required(self, field: Any, total: bool) -> bool:
        return field["type"] != "typed-dict-field" or super().field_is_required(field, total)


def of(record: Any) -> dict[str, Any]:
    """The JSON schema of the type ``record``."""
    return TypeAdapter(record).json_schema(schema_generator=_Printed, mode="serialization")
