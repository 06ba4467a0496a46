import assert from "node:assert/strict";
import { test } from "node:test";

import { assertClose, cases, moduleOf } from "./cases.js";

const { recordOfTable } = await moduleOf("BeamTree");

for (const { form, wanted } of cases)
  test(JSON.stringify(form), () => {
    if (wanted.error) return assert.throws(() => recordOfTable(form, "here"), { message: wanted.error });
    const found = recordOfTable(form, "here");
    for (const name of ["bounds", "token_id", "following", "known"]) assert.deepEqual(found[name].data, wanted[name].data, name);
    assertClose(found.log_prob.data, wanted.log_prob.data, 1e-6, "log_prob");
    for (const name of ["token", "start", "max_length", "eos", "top", "source"]) assert.deepEqual(found[name], wanted[name], name);
  });
