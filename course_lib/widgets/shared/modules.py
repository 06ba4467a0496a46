"""Joins the JavaScript modules of a widget into the one text that a browser loads, without any tool of Node.

The modules import each other by name. Here the imports are followed and left out, and each module comes after
those that it imports; so a name must mean one thing in all of them. That a module imports whatever it uses is
held by ESLint and TypeScript. Comments stay behind: a browser has no use for them, and the text of a widget
lies in every page that it saves.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.\.?/[^"]+)";\n', re.M)
_DOCUMENTATION = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/\n", re.M | re.S)
# A comment after code is left where it holds a quote, for then it could be part of a text.
_COMMENT = re.compile(r"^[ \t]*//.*\n|[ \t]+// [^\"'`\n]*$", re.M)
_DECLARATION = re.compile(r"^(export )?(?:async )?(?:function\*?|class|const|let|var) (\w+|\S)", re.M)
_DEFAULT = re.compile(r"^export default \w+\(", re.M)
# Where it still stands when the forms above are taken out, an import or an export is of another form.
_STRANGE = re.compile(r"(?:^|[;{}])\s*(?:import|export)\b.*|\bimport\s*[(.].*", re.M)


class _Module(NamedTuple):
    text: str  # without its imports and comments
    imports: dict[Path, list[str]]
    declared: dict[str, bool]  # name -> whether it is exported


def join_modules(entry: Path, given: Mapping[Path, str] | None = None) -> str:
    """Join a module with those that it imports, and those that these import.

    Args:
        entry: the file that begins; it alone may have a default export.
        given: text of modules that lie in no file, by the path from which they are imported.

    Returns:
        The text of one module, which exports what its parts export.

    Raises:
        FileNotFoundError: an import of a module that is not there.
        ValueError: an import or export of another form than `import { a, b } from "./c.js";` and `export`
            before a declaration; an import of what is not exported; modules that import each other in a
            circle; a name that two modules declare.
    """
    given = given or {}
    joined: dict[Path, _Module] = {}
    home: dict[str, Path] = {}

    def add(path: Path, importers: tuple[Path, ...]) -> None:
        if path in joined:
            return
        if path in importers:
            circle = (*importers[importers.index(path) :], path)
            raise ValueError(f"circular import: {' → '.join(map(_short, circle))}")
        if importers and path not in given and not path.is_file():
            raise FileNotFoundError(f"{_short(importers[-1])} imports {_short(path)}, which does not exist")
        source = given[path] if path in given else path.read_text(encoding="utf-8")
        module = _read(path, source, is_entry=not importers)
        for other, names in module.imports.items():
            add(other, (*importers, path))
            for name in names:
                if not joined[other].declared.get(name):
                    raise ValueError(f"{_short(path)} imports {name}, which {_short(other)} does not export")
        for name in module.declared:
            if name in home:
                raise ValueError(f"{_short(home[name])} and {_short(path)} both declare {name}")
            home[name] = path
        joined[path] = module

    add(entry.resolve(), ())
    return "\n".join(module.text for module in joined.values())


def _read(path: Path, source: str, is_entry: bool) -> _Module:
    text = _IMPORT.sub("", _COMMENT.sub("", _DOCUMENTATION.sub("", source)))
    rest = _DECLARATION.sub("", _DEFAULT.sub("", text, count=1) if is_entry else text)
    if strange := _STRANGE.search(rest):
        raise ValueError(f"{_short(path)} has an import or export that is not read: {strange[0].strip()}")
    imports: dict[Path, list[str]] = {}
    for names, address in _IMPORT.findall(source):
        other = (path.parent / address).resolve()
        imports.setdefault(other, []).extend(re.findall(r"[^,\s][^,]*(?<!\s)", names))
    declared = {name: bool(export) for export, name in _DECLARATION.findall(text)}
    for name in declared:
        if not name.isidentifier():
            raise ValueError(f"{_short(path)} declares names within {name} at its top; they are not read")
    return _Module(text, imports, declared)


def _short(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
