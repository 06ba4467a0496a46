// What Python has written for a file of tests: its cases, and the module of each widget.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.env.COURSE_CASES;
if (!folder) throw new Error("Python writes the cases: run `pytest tests/js`.");

export const cases = JSON.parse(await readFile(join(folder, "cases.json"), "utf8"));

/** The module of a widget, as a browser gets it. */
export const moduleOf = (name) => import(pathToFileURL(join(folder, `${name}.mjs`)).href);

/** Hold numbers against those of Python, which may have rounded to float32 on the way. */
export function assertClose(found, wanted, within, what) {
  assert.equal(found.length, wanted.length, what);
  found.forEach((value, i) => assert.ok(Math.abs(value - wanted[i]) <= within, `${what}: ${value}, not ${wanted[i]}`));
}
