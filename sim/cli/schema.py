"""`stacksim COMMAND --schema`: the JSON schema of what --json prints, from the type of its record."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema


class _Printed(GenerateJsonSchema):
    """A schema in which fields with a default are required, as they are printed, and names are the only titles."""

    def field_is_required(self, field: Any, total: bool) -> bool:
        return field["type"] != "typed-dict-field" or super().field_is_required(field, total)

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002  (as pydantic calls it)
        return False


def of(record: Any) -> dict[str, Any]:
    """The JSON schema of the type ``record``."""
    made = TypeAdapter(record).json_schema(schema_generator=_Printed, mode="serialization")
    return {"$schema": _Printed.schema_dialect, **made}
