import { isObject, type JsonObject } from '../../../base/json.ts';
import { stringOrEmpty } from '../shared/messageParts.ts';
import { findTaskObjects } from './recordObjects.ts';

/** Members that contain the text of a model, the most likely first. */
const textKeys = ['output_text', 'steps', 'outputs', 'output', 'result', 'results', 'choices', 'candidates'];

/** Types of steps and contents that are not part of the reply: input, reasoning and calls. */
const notReplyTypes = /^(user_input|thought|function_call|function_result|reasoning)$/;
const maxDepth = 8;

/** The text that a task wrote; empty if its result is not text. */
export function readTaskText(record: unknown): string {
  for (const object of findTaskObjects(record)) {
    for (const key of textKeys) {
      const text = key === 'output_text' ? stringOrEmpty(object[key]) : readText(object[key], 0);
      if (text !== '') return text;
    }
  }
  return '';
}

function readText(value: unknown, depth: number): string {
  if (depth > maxDepth) return '';
  if (Array.isArray(value)) return value.map((each) => readText(each, depth + 1)).join('');
  return isObject(value) ? readObjectText(value, depth) : '';
}

function readObjectText(object: JsonObject, depth: number): string {
  if (notReplyTypes.test(stringOrEmpty(object.type)) || object.thought === true) return '';
  if (stringOrEmpty(object.text) !== '') return stringOrEmpty(object.text);
  return (
    readText(object.content ?? object.message ?? object.parts, depth + 1) || stringOrEmpty(object.content)
  );
}
