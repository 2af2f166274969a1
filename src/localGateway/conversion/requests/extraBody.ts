import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ConversionNotes } from '../notes.ts';
import type { Settings } from './askedRequest.ts';
import { dropOthers, type FieldRules, setting, sortFields } from './fields.ts';

const place = 'extra_body.google';

/** What content generation is told by requests of chat completions, in words of its own. */
const rules: FieldRules = {
  read: ['thinking_config'],
  hints: ['thought_tag_marker'],
  constraints: { cached_content: 'stores no beginning of a conversation here; send all of it in messages' },
};

/**
 * The thinking that `extra_body` asks for, which some providers have in addition to the fields of chat completions.
 *
 * @throws {HttpError} for what would be lost
 */
export function extraThinking(extra: unknown, notes: ConversionNotes): Pick<Settings, 'effort' | 'thoughts'> {
  if (!isObject(extra)) return {};
  dropOthers(extra, ['google'], 'extra_body', notes);
  if (!isObject(extra.google)) return {};
  sortFields(extra.google, rules, notes, `${place}.`);
  const thinking = extra.google.thinking_config;
  if (!isObject(thinking)) return {};
  const at = `${place}.thinking_config`;
  const isShown = thinking.include_thoughts === true;
  return {
    effort: effortIn(thinking, at, notes),
    thoughts: isShown ? { value: true, at: `${at}.include_thoughts` } : undefined,
  };
}

function effortIn(thinking: JsonObject, at: string, notes: ConversionNotes): Settings['effort'] {
  const { thinking_level: level, thinking_budget: budget } = thinking;
  dropOthers(thinking, ['thinking_level', 'thinking_budget', 'include_thoughts'], at, notes);
  const word = nonEmptyString(level)?.toLowerCase();
  if (word !== undefined) return setting(word, `${at}.thinking_level`);
  if (typeof budget !== 'number') return undefined;
  const asNeeded = budget < 0 ? 'adaptive' : budget;
  return setting(budget === 0 ? 'none' : asNeeded, `${at}.thinking_budget`);
}
