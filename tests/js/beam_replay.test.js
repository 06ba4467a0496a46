import assert from "node:assert/strict";
import { test } from "node:test";

import { assertClose, cases, moduleOf } from "./cases.js";

const { replayBeam } = await moduleOf("BeamTree");

for (const { record, settings, reference, wanted } of cases)
  test(`${JSON.stringify(settings)} of ${record.token.length} tokens`, () => {
    const found = replayBeam(record, settings, reference);
    assert.equal(found.missing, wanted.missing);
    if (wanted.missing) return;
    for (const name of ["parent", "step", "token_id", "rank"]) assert.deepEqual(found.trace[name].data, wanted.trace[name].data, name);
    for (const name of ["status", "token", "best"]) assert.deepEqual(found.trace[name], wanted.trace[name], name);
    for (const name of ["log_prob", "total", "score"]) assertClose(found.trace[name].data, wanted.trace[name].data, 1e-5, name);
  });
