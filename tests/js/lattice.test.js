import assert from "node:assert/strict";
import { test } from "node:test";

import { assertClose, cases, moduleOf } from "./cases.js";

const { movesOf, runsOf, sharesOf, statesOf, unpack } = await moduleOf("LatticeView");
const trace = unpack(cases.fields, Uint8Array.from(cases.buffer));

test("the runs of the best path", () => assert.deepEqual(runsOf(trace), cases.runs));
cases.wanted.forEach(({ states, moves, shares }, labelling) =>
  test(`labelling ${labelling}`, () => {
    assert.deepEqual(statesOf(trace, labelling), states);
    assert.deepEqual(movesOf(trace, labelling), moves);
    for (const [kind, values] of Object.entries(shares)) assertClose([...sharesOf(trace, labelling, kind)], values, 1e-5, kind);
  }),
);
