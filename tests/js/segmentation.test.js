import assert from "node:assert/strict";
import { test } from "node:test";

import { cases, moduleOf } from "./cases.js";

const { idsAfter, readEncoding, stepsWith, unpack } = await moduleOf("SegmentationExplorer");
const { cut } = readEncoding(unpack(cases.fields, Uint8Array.from(cases.buffer)));

for (const { text, merges, wanted } of cases.texts)
  test(`${JSON.stringify(text)} after ${merges} merges`, () => {
    const found = cut(text).flatMap((word) => idsAfter(word, stepsWith(word, merges)));
    assert.deepEqual(found, wanted);
  });
