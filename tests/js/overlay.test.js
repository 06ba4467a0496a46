import assert from "node:assert/strict";
import { test } from "node:test";

import { assertClose, cases, moduleOf } from "./cases.js";

const { layerOf, mapOf, unpack } = await moduleOf("OverlayView");
const { maps } = unpack(cases.fields, Uint8Array.from(cases.buffer));

for (const { picture, step, height, width, values, places } of cases.wanted)
  test(`picture ${picture}, step ${step}, ${height} × ${width}`, () => {
    places.forEach((place, kind) => {
      const layer = layerOf("", mapOf(maps, picture, step, kind), height, width);
      assertClose([...layer.grid.data], values[kind], 1e-5, `kind ${kind}`);
      assert.deepEqual(layer.place && [layer.place.row, layer.place.column], place);
    });
  });
