// Which tree belongs to which settings: the model's own, one replayed from a record, or one that only the model can make.
import { replayBeam } from "./beam_replay.js";
import { recordOfTable } from "./beam_table.js";
import { formulaOf, readBeam } from "./beam_words.js";
import { WIDEST_BEAM } from "./constants.js";

/** @type {(table: Beam.Table | null) => unknown} */
const tableKey = (table) => table && [table.text, table.names, table.by, table.weights, table.eos, table.steps];
/** @type {(settings: Beam.Settings) => string} */
export const keyOf = ({ beam_size, kind, alpha, temperature, table }) => JSON.stringify([beam_size, kind, alpha, temperature, tableKey(table)]);
/** @type {(settings: Beam.Settings) => Beam.Settings} */
export const settingsOf = ({ beam_size, kind, alpha, temperature, table }) => ({ beam_size, kind, alpha, temperature, table });

/**
 * What is wrong with settings, in words; "" where nothing is. The kernel says the same.
 * @type {(settings: Beam.Settings) => string}
 */
export function wrongSettings({ beam_size, alpha, temperature }) {
  if (!(Number.isInteger(beam_size) && beam_size >= 1 && beam_size <= WIDEST_BEAM)) return `The beam width is a whole number from 1 to ${WIDEST_BEAM}; got ${beam_size}.`;
  if (alpha !== null && !(alpha >= 0 && alpha <= 2)) return `Alpha is a number from 0 to 2; got ${alpha}.`;
  if (temperature !== null && !(temperature >= 0.1 && temperature <= 10)) return `The temperature is a number from 0.1 to 10; got ${temperature}.`;
  return "";
}

/**
 * `content` is what Python sent: { tree, record, made: { settings, can } }, the record only where there is one. Returns
 *   now(settings) -> { tree, record, origin }, or { missing } in words, or { missing: null } where there is no record;
 *   model(request, why): asks the kernel, whose tree and record are then the model's.
 * @type {(content: Beam.Content, ask: Course.Ask) => Beam.Searches}
 */
export function searchesOf(content, ask) {
  let home = content;
  let asked = 0; // how often the model has searched
  let origin = "Searched by the model.";
  /** @type {{ key: string | null, found: Beam.Found }} */
  let last = { key: null, found: {} };

  /** @type {(settings: Beam.Settings) => Beam.Found} */
  function find(settings) {
    const { kind, alpha, table } = settings;
    const given = JSON.stringify(tableKey(table)) === JSON.stringify(tableKey(home.made.settings.table));
    const from = table ? "Searched in your browser: the table is the whole model." : "Replayed from the record, without the model.";
    if (keyOf(settings) === keyOf(home.made.settings)) return { tree: readBeam(home.tree), record: home.record, origin: table ? from : origin };
    const record = table && !given ? recordOfTable(table, "a table typed here") : home.record;
    if (!record) return { missing: null };
    const followed = given && home.tree.reference ? home.tree : null;
    const reference = followed ? { reference: followed.reference, reference_token: followed.reference_token } : {};
    const heat = settings.temperature ?? 1;
    const { trace, missing } = replayBeam(record, { ...settings, temperature: heat }, followed && [...followed.reference.data]);
    if (missing) return { missing };
    return { tree: readBeam({ ...trace, ...reference, penalty: formulaOf(kind, alpha) }), record, origin: from };
  }

  return {
    get can() {
      return home.made.can;
    },
    get hasRecord() {
      return home.record !== undefined;
    },
    /** What the model reads of its source. */
    get reading() {
      return home.reading;
    },
    /** Whether the first tree is a model's: then a reader can go back to it from a table. */
    get hasModel() {
      return !home.made.settings.table;
    },
    now(settings) {
      const key = `${asked} ${keyOf(settings)}`;
      if (last.key === key) return last.found;
      /** @type {Beam.Found} */
      let found;
      try {
        found = find(settings);
      } catch (error) {
        found = { missing: error.message };
      }
      last = { key, found };
      return found;
    },
    async model(request, why) {
      home = await ask(request);
      asked++;
      origin = why ? `Searched anew by the model, for the record did not reach: ${why}.` : "Searched anew by the model.";
    },
    /** What a saved page must hold in place of what Python sent first; undefined where that is still right. */
    get packed() {
      return home.packed;
    },
  };
}
