"""JSON schema of stack files, with the installed kinds, for completion and checks in editors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sim.system.settings import Choice, Count, Flag, Number, Setting, Settings
from sim.system.stack.bare_steps import STEPS
from sim.system.stack.document import Document
from sim.system.stack.kinds import LAYERS, LOADS, kinds
from sim.system.stack.loads import DEFAULT_LOAD

_OWN = {
    "name": {"type": "string", "description": "begins the names of its places"},
    "shared": {"type": "boolean", "description": "one for all copies of what is above"},
}


_NAMED = {"name": {"type": "string", "description": "begins the names of its answers beside another load"}}


def schema() -> dict[str, Any]:
    """The schema of a stack file."""
    made = Document.model_json_schema()
    made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    made["title"] = "stacksim stack file"
    properties = made["properties"]
    for short in ("settings", "parameters"):  # a plain value stands for a table with that default or value
        entry = properties[short]["additionalProperties"]
        properties[short]["additionalProperties"] = {"anyOf": [{"type": ["boolean", "number", "string"]}, entry]}
    bare = _kind(STEPS, "steps of the vocabulary", (), _OWN | {"steps": {"type": "array"}})
    layers = [_of_kind(name, kind, _OWN) for name, kind in kinds(LAYERS).items()]
    properties["layer"]["items"] = {"oneOf": [*layers, bare]}
    load = {"oneOf": [_of_kind(name, kind, _NAMED) for name, kind in kinds(LOADS).items()]}
    properties["load"] = {"anyOf": [load, {"type": "array", "minItems": 1, "items": load}]}
    return made


def _of_kind(name: str, record: type, own: dict[str, Any]) -> dict[str, Any]:
    about = (record.__doc__ or "").partition("\n")[0]
    return _kind(name, about, Settings.of(record), own)


def _kind(name: str, about: str, settings: Iterable[Setting], own: dict[str, Any]) -> dict[str, Any]:
    fields = {setting.name: _field(setting) for setting in settings}
    return {
        "description": about,
        "type": "object",
        "properties": {"kind": {"const": name}, **fields, **own},
        "required": [] if name == DEFAULT_LOAD else ["kind"],
        "additionalProperties": False,
    }


def _field(setting: Setting) -> dict[str, Any]:
    """Schema of a field; it may always be a text: a name of a setting or parameter, or a quantity."""
    plain: dict[str, Any] = {"type": ["number", "string", "object"]}
    match setting:
        case Choice(options=options):
            plain = {"anyOf": [{"enum": list(options)}, {"type": "string"}]}
        case Flag():
            plain = {"type": ["boolean", "string"]}
        case Count() | Number():
            plain = {"type": ["number", "string"]}
    return plain | {"description": f"{setting.help}; allowed: {setting.allowed}"}
