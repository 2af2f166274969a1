import { isObject } from '../../../base/json.ts';
import { type TextFormatId, textFormatId } from '../../../wire/apis/textFormats.ts';

/** The API format of the models whose id matches. */
export interface FormatRule {
  /** A model id in which `*` stands for any text. */
  readonly models: string;
  readonly format: TextFormatId;
}

/**
 * Reads an entry of the setting.
 *
 * @returns undefined for an invalid entry
 */
export function readFormatRule(entry: unknown): FormatRule | undefined {
  if (!isObject(entry) || typeof entry.models !== 'string') return undefined;
  const format = textFormatId(entry.format);
  return format && { models: entry.models, format };
}
