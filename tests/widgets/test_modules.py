"""What joins JavaScript modules into one, and what all widgets' modules must be like."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import course_lib.widgets
from course_lib.widgets.shared.modules import join_modules

ROOT = Path(__file__).parents[2]
WIDGETS = Path(course_lib.widgets.__file__).parent


@pytest.fixture
def join(tmp_path):
    """Write files, each with its text, and join what `a.js` imports."""

    def of(given="", **files):
        for name, text in files.items():
            (tmp_path / f"{name}.js").write_text(text, encoding="utf-8")
        return join_modules(tmp_path / "a.js", {tmp_path / "constants.js": given})

    return of


def test_each_module_comes_once_after_those_that_it_imports(join):
    joined = join(
        a='import { b } from "./b.js";\nimport {\n  c,\n  d,\n} from "./c.js";\nexport default b(c, d);\n',
        b='import { c } from "./c.js";\nexport const b = (x, y) => x + y + c;\n',
        c='import { e } from "./constants.js";\nexport const c = e;\nconst f = c;\nexport function d() {}\n',
        given="export const e = 2;\n",
    )
    assert re.findall(r"^(?:export )?(?:const|function|default) (\w+)", joined, re.M) == [*"ecfdb", "b"]
    assert "import" not in joined


def test_comments_stay_behind_and_no_code_with_them(join):
    code = "const a = /** @type {number} */ (1);\n/** @type {any} */ (a).b();\n"
    code += 'const c = "/** text */";\nconst d = " // text";\n'
    documented = f"/** {{@link b}} */\n{code}  /**\n   * import b from 'c'\n   */\n// why\nd(); // it does\n"
    assert join(a=documented) == code + "d();\n"


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_what_is_joined_runs_as_the_modules_do(join, tmp_path):
    join(
        a='import { double } from "./b.js";\nexport default double();\n',
        b='import { one } from "./c.js";\nexport const double = () => one * 2;\n',
        c="export class Thing {}\nexport let one = 1;\nexport async function wait() {}\n",
    )
    (tmp_path / "joined.mjs").write_text(join_modules(tmp_path / "a.js"), encoding="utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    show = "Object.entries(await import(process.argv[1])).map(([name, value]) => [name, String(value)])"
    printed = [
        subprocess.run(
            ["node", "--input-type=module", "-e", f"console.log(JSON.stringify({show}))", tmp_path / file],
            capture_output=True,
            check=True,
        ).stdout
        for file in ("a.js", "joined.mjs")
    ]
    apart, joined = (dict(json.loads(text)) for text in printed)
    assert apart == {"default": "2"}
    assert joined["default"] == "2" and set(joined) == {"default", "double", "wait", "one", "Thing"}


FOLDER = r"[\w-]+/"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"a": 'import { b } from "./b.js";\n', "b": "const b = 1;\n"},
            "a.js imports b, which FOLDERb.js does not",
        ),
        (
            {"a": 'import { b as c } from "./b.js";\n', "b": "export const b = 1;\n"},
            "a.js imports b as c, which",
        ),
        (
            {
                "a": 'import { b } from "./b.js";\nfunction quoted() {}\n',
                "b": "export const b = 1;\nconst quoted = 2;\n",
            },
            "b.js and FOLDERa.js both declare quoted",
        ),
        (
            {
                "a": 'import { b } from "./b.js";\n',
                "b": 'import { c } from "./c.js";\nexport const b = 1;\n',
                "c": 'import { b } from "./b.js";\nexport const c = 1;\n',
            },
            "circular import: FOLDERb.js → FOLDERc.js → FOLDERb.js",
        ),
        ({"a": "const [b, c] = [1, 2];\n"}, r"a.js declares names within \[ at its top"),
        (
            {"a": 'import { b } from "./b.js";\n', "b": "export default b();\n"},
            "b.js has an import or export",
        ),
    ],
)
def test_modules_that_do_not_fit_together_are_named(join, files, message):
    with pytest.raises(ValueError, match=message.replace("FOLDER", FOLDER)):
        join(**files)


def test_a_missing_module_and_who_imports_it_are_named(join):
    with pytest.raises(FileNotFoundError, match=f"a.js imports {FOLDER}b.js, which does not exist"):
        join(a='import { b } from "./b.js";\n')
    with pytest.raises(FileNotFoundError):
        join()


@pytest.mark.parametrize(
    "line",
    [
        'import b from "./b.js";',
        'import * as b from "./b.js";',
        'import "./b.js";',
        "import { b } from './b.js';",
        'import { b } from "./b.js"',
        'import { b } from "b";',
        '  import { b } from "./b.js";',
        'const a = 1; import { b } from "./b.js";',
        'const b = await import("./b.js");',
        "const b = import.meta.url;",
        "export { b };",
        'export { b } from "./b.js";',
        'export * from "./b.js";',
        "export default { b };",
    ],
)
def test_other_forms_of_import_and_export_are_refused(join, line):
    with pytest.raises(ValueError, match=f"{FOLDER}a.js has an import or export that is not read: .*port"):
        join(a=f"{line}\n", b="export const b = 1;\n")


# ---- the widgets' own modules ------------------------------------------------------------------------


@pytest.mark.parametrize("types", sorted(WIDGETS.rglob("constants.d.ts")), ids=lambda path: path.parent.name)
def test_python_gives_every_constant_of_which_typescript_is_told(types):
    widgets = [getattr(course_lib.widgets, name) for name in course_lib.widgets.__all__]
    own = [widget for widget in widgets if f".{types.parent.name}." in widget.__module__]
    given = "\n".join(widget._esm for widget in own or widgets)
    for name in re.findall(r"^export const (\w+): ", types.read_text(encoding="utf-8"), re.M):
        assert re.search(f"^export const {name} = ", given, re.M), name


def test_a_wheel_carries_every_script_and_style():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["course_lib"]
    carried = {path for pattern in patterns for path in (ROOT / "course_lib").glob(pattern)}
    there = {path for path in WIDGETS.rglob("*") if path.suffix in (".js", ".css")}
    assert there and there <= carried
