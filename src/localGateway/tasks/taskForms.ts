import { isObject, type JsonObject, nonEmptyString } from '../../base/json.ts';
import { idProblem } from '../../wire/apis/taskRecord/names.ts';
import type { TaskFormat } from '../upstreams/upstream.ts';

/** What the records of one format have of their own. */
export interface TaskForm {
  /** What its tasks make. */
  readonly type: 'video' | 'response' | 'interaction';
  /** How people call it, with an article before. */
  readonly label: string;
  /** The provider's id in a record or in the answer to a create. */
  idIn(record: JsonObject): string | undefined;
  /** The record under another id, in the provider's member and in `id`. */
  withId(record: JsonObject, id: string): JsonObject;
  /** What a request asks for, as text; empty where it says nothing readable. */
  promptIn(body: JsonObject): string;
  /** Whether the bytes of a completed task come from a route and its record names none. */
  readonly givesContent: boolean;
}

const idAtTop: Pick<TaskForm, 'idIn' | 'withId'> = {
  idIn: ({ id }) => usableId(id),
  withId: (record, id) => ({ ...record, id }),
};

/** By the format of the requests that make tasks. */
export const taskForms: Readonly<Record<TaskFormat, TaskForm>> = {
  responses: {
    ...idAtTop,
    type: 'response',
    label: 'background response',
    promptIn: ({ input }) => textIn(input),
    givesContent: false,
  },
  interactions: {
    ...idAtTop,
    type: 'interaction',
    label: 'interaction',
    promptIn: ({ input }) => textIn(input),
    givesContent: false,
  },
  videos: {
    ...idAtTop,
    type: 'video',
    label: 'video',
    promptIn: ({ prompt }) => textIn(prompt),
    givesContent: true,
  },
  videoSynthesis: {
    type: 'video',
    label: 'video',
    idIn: ({ output }) => (isObject(output) ? usableId(output.task_id) : undefined),
    withId: (record, id) => ({
      id,
      ...record,
      output: { ...(isObject(record.output) ? record.output : {}), task_id: id },
    }),
    promptIn: ({ input }) => (isObject(input) ? textIn(input.prompt) : ''),
    givesContent: false,
  },
};

/** An id that can stand in an address. */
function usableId(value: unknown): string | undefined {
  const id = nonEmptyString(value);
  return id === undefined || idProblem(id) !== undefined || /^\.{1,2}$/.test(id) ? undefined : id;
}

const maxPromptCharacters = 2_000;
const maxDepth = 8;

/** The text of an input: the last of its turns where it has several. */
function textIn(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value.slice(0, maxPromptCharacters).toWellFormed();
  if (depth > maxDepth) return '';
  if (Array.isArray(value)) {
    for (const each of value.toReversed()) {
      const text = textIn(each, depth + 1);
      if (text !== '') return text;
    }
    return '';
  }
  return isObject(value) ? textIn(value.text ?? value.content ?? value.parts, depth + 1) : '';
}
