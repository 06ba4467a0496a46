import assert from "node:assert/strict";
import { test } from "node:test";

import { cases, moduleOf } from "./cases.js";

for (const name of cases)
  test(`${name} is one module that can be rendered`, async () => {
    const { default: widget } = await moduleOf(name);
    assert.equal(typeof widget.render, "function");
  });
