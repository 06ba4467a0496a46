import assert from "node:assert/strict";
import { test } from "node:test";

import { assertClose, cases, moduleOf } from "./cases.js";

const { brightness, packWith, unpack } = await moduleOf("ConvolutionExplorer");
const trace = unpack(cases.fields, Uint8Array.from(cases.buffer));

for (const { rgba, from, to, wanted } of cases.pictures)
  test(`a picture of ${from.join(" × ")} becomes one of ${to.join(" × ")}`, () => {
    const found = brightness({ data: Uint8ClampedArray.from(rgba), height: from[0], width: from[1] }, ...to);
    assertClose([...found], wanted, 1e-6, "brightness");
  });

test("a trace with one more picture is packed as Python packs it", () => {
  const [, height, width] = trace.pictures.shape;
  for (const { place, fields, buffer } of cases.packed) {
    const data = Float32Array.from(cases.own);
    const { fields: found, buffer: numbers } = packWith(trace, place, { name: "own", image: { data, height, width } });
    assert.deepEqual(unpack(found, numbers), unpack(fields, Uint8Array.from(buffer)));
  }
});
