import { isObject } from '../../base/json.ts';
import { type TextFormatId, textFormatId } from '../../wire/apis/textFormats.ts';

/** In which API format models are asked whose id matches. */
export interface FormatRule {
  /** A model id in which `*` stands for any text. */
  readonly models: string;
  readonly format: TextFormatId;
}

/** An entry of the setting, also as older versions spelled it; undefined for what is no rule. */
export function readFormatRule(entry: unknown): FormatRule | undefined {
  if (!isObject(entry) || typeof entry.models !== 'string') return undefined;
  const format = textFormatId(entry.format ?? entry.style);
  return format && { models: entry.models, format };
}
