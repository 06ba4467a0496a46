import assert from "node:assert/strict";
import { test } from "node:test";

import { assertClose, cases, moduleOf } from "./cases.js";

const { convolve, gridOf, sumOf, termsOf, unpack } = await moduleOf("ConvolutionExplorer");
const { pictures, kernels } = unpack(cases.fields, Uint8Array.from(cases.buffer));

for (const { picture, kernel, geometry, height, width, outputs } of cases.wanted)
  test(`picture ${picture}, kernel ${kernel}, ${JSON.stringify(geometry)}`, () => {
    const [image, weights] = [gridOf(pictures, picture), gridOf(kernels, kernel)];
    const found = convolve(image, weights, geometry);
    assert.deepEqual([found.height, found.width], [height, width]);
    assertClose([...found.data], outputs, 1e-9, "outputs");
    const last = termsOf(image, weights, geometry, height - 1, width - 1);
    assertClose([sumOf(last)], outputs.slice(-1), 1e-9, "the sum of its terms");
  });
