import { isObject, type JsonObject } from '../../../base/json.ts';
import { objectsOf } from './recordObjects.ts';

/** Members that hold the text of a model, the most likely first. */
const textKeys = ['output_text', 'steps', 'outputs', 'output', 'result', 'results', 'choices', 'candidates'];

/** Types of steps and contents that are not part of the reply: input, reasoning and calls. */
const notReplyTypes = /^(user_input|thought|function_call|function_result|reasoning)$/;
const maxDepth = 8;

/** The text that a task wrote; empty if its result is not text. */
export function taskText(record: unknown): string {
  for (const object of objectsOf(record)) {
    for (const key of textKeys) {
      const text = key === 'output_text' ? plain(object[key]) : textIn(object[key], 0);
      if (text !== '') return text;
    }
  }
  return '';
}

function textIn(value: unknown, depth: number): string {
  if (depth > maxDepth) return '';
  if (Array.isArray(value)) return value.map((each) => textIn(each, depth + 1)).join('');
  return isObject(value) ? textOf(value, depth) : '';
}

function textOf(object: JsonObject, depth: number): string {
  if (notReplyTypes.test(plain(object.type)) || object.thought === true) return '';
  if (plain(object.text) !== '') return plain(object.text);
  return textIn(object.content ?? object.message ?? object.parts, depth + 1) || plain(object.content);
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
