// A plain table of probabilities, typed or pasted, as something to search. The rules, and the words where one is broken,
// are those of `course_lib.decoding.table`.

const IS_NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Text -> { names (or null), rows }; an Error says what is wrong.
 * @type {(text: string) => { names: string[] | null, rows: number[][] }}
 */
function readTable(text) {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  const between = /[;\t]/.test(text) ? /\s*[;\t]\s*/ : text.includes(",") ? /\s*,\s*/ : /\s+/;
  const rows = lines.map((line) => line.split(between));
  /** @type {(entry: string) => boolean} */
  const isNumber = (entry) => IS_NUMBER.test(entry.replace(",", "."));
  const names = rows.length && !rows[0].some(isNumber) ? rows.shift() : null;
  if (!rows.length) throw new Error("The table has no row of numbers.");
  rows.forEach((row, i) =>
    row.forEach((entry, j) => {
      if (!isNumber(entry)) throw new Error(`Row ${i + 1}, entry ${j + 1} is “${entry}”; it must be a number from 0 to 1.`);
    }),
  );
  return { names, rows: rows.map((row) => row.map((entry) => Number(entry.replace(",", ".")))) };
}

/**
 * A table as a record that every search can be replayed from: { text, names, by, weights, eos, steps } -> record.
 * @type {(table: Beam.Table, source: string) => Beam.Record}
 */
export function recordOfTable({ text, names: given, by, weights, eos, steps }, source) {
  const { names: typed, rows } = readTable(text);
  const names = typed ?? given;
  const width = rows[0].length;
  /** @type {(value: number) => string} */
  const short = (value) => String(Number(value.toPrecision(6)));
  rows.forEach((row, i) => {
    if (row.length !== width) throw new Error(`Row ${i + 1} has ${row.length} entries, row 1 has ${width}; all rows are equally long.`);
    row.forEach((entry, j) => {
      if (!(entry >= 0 && entry <= 1)) throw new Error(`Row ${i + 1}, entry ${j + 1} is ${short(entry)}; it must be a number from 0 to 1.`);
    });
    const total = row.reduce((sum, entry) => sum + entry, 0);
    if (total === 0) throw new Error(`Row ${i + 1} holds only zeros; some token must be possible.`);
    if (!weights && Math.abs(total - 1) > 1e-5) throw new Error(`Row ${i + 1} sums to ${short(total)}, not to 1. Mend it, or take the rows as weights (weights).`);
  });
  if (names && names.length !== width) throw new Error(`There are ${names.length} names for ${width} columns.`);
  if (by === "token" && rows.length !== width) throw new Error(`A row for each last token needs as many rows as columns; got ${rows.length} and ${width}.`);
  const limit = steps ?? rows.length;
  const most = by === "step" ? rows.length : 50;
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= most)) throw new Error(`The steps are a whole number from 1 to ${most}; got ${limit}.`);
  if (eos !== null && !(Number.isInteger(eos) && eos >= 0 && eos < width)) throw new Error(`The token that ends is a column from 0 to ${width - 1}; got ${eos}.`);

  /** @type {number[][]} */
  const [bounds, ids, logs, following] = [[0], [], [], []];
  rows.forEach((row, i) => {
    const able = row.map((entry, token) => ({ entry, token })).filter(({ entry }) => entry > 0);
    for (const { entry, token } of able.sort((a, b) => b.entry - a.entry || a.token - b.token)) {
      ids.push(token);
      logs.push(Math.fround(Math.log(entry)));
      following.push(by === "token" ? token : i + 1 < rows.length ? i + 1 : -1);
    }
    bounds.push(ids.length);
  });
  const columns = rows[0].map((_, i) => i);
  return {
    bounds: { data: bounds }, token_id: { data: ids }, log_prob: { data: logs }, following: { data: following },
    known: { data: columns }, token: names ?? columns.map(String), temperatures: { data: [], shape: [0] },
    normaliser: { data: [] }, start: 0, max_length: limit, eos, top: null, source,
  };
}
