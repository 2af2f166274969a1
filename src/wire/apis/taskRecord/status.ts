import { isObject, type JsonObject } from '../../../base/json.ts';
import { describesError } from './error.ts';
import { classOfWord, isCallWord, isReadyWord, type StateClass } from './statusWords.ts';

/** What a record shows of its state. */
export interface Evidence {
  /** The objects of the record, the likeliest first. */
  readonly layers: readonly JsonObject[];
  readonly word: string | undefined;
  /** HTTP status of the reply. */
  readonly status: number | undefined;
  /** How many results it names. */
  readonly results: number;
}

/**
 * The state of a task: what its word says, or else the evidence. A finishing time or a progress of 100
 * proves nothing, and neither does an empty error.
 */
export function stateOf({ layers, word, status, results }: Evidence): StateClass {
  const [record = {}] = layers;
  if (record.cancelled === true || record.canceled === true) return 'cancelled';
  const known = word === undefined ? undefined : classOfWord(word);
  if (known === 'completed' && isModerated(layers)) return 'failed';
  if (known) return known;
  // Ready to run for one vendor, ready to be fetched for another.
  if (word !== undefined && isReadyWord(word)) return results > 0 ? 'completed' : 'running';
  if (record.done === true) return describesError(record) || isModerated(layers) ? 'failed' : 'completed';
  if (record.done === false || status === 202 || status === 204) return 'running';
  if (describesError(record)) return 'failed';
  const wordless = word === undefined || isCallWord(word);
  return wordless && results > 0 ? (isModerated(layers) ? 'failed' : 'completed') : 'running';
}

/** Vendors that filter a result say so beside a good state. */
function isModerated(layers: readonly JsonObject[]): boolean {
  return layers.some(({ video, generateVideoResponse: made }) => {
    if (isObject(video) && video.respect_moderation === false) return true;
    return isObject(made) && Number(made.raiMediaFilteredCount) > 0 && !Array.isArray(made.generatedSamples);
  });
}
