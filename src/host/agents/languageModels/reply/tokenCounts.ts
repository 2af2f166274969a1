import { isObject } from '../../../../base/json.ts';
import { estimatedTokens } from '../../../../base/tokenEstimate.ts';
import type { VsCodeTool } from '../requestSettings.ts';
import type { VsCodeMessage } from './vsCodeMessages.ts';

/** The approximate number of tokens of a picture. */
const pictureTokens = 1000;

/** The tokens of a message in addition to its content. */
const messageTokens = 4;

/** A reported count outside these multiples of the estimate is ignored: the gateway may count something else. */
const minRatio = 0.5;
const maxRatio = 3;

/** The weight of a new ratio in the average of a model's ratios. */
const weight = 0.5;

/** In UTF-16 units. Longer JSON texts of tools are not counted, because counting them takes too long. */
const maxToolsLength = 1_000_000;

/** The estimates of shorter requests are too inaccurate to derive a model's ratio. In tokens. */
const minCalibrationTokens = 200;

/** Estimates the tokens of a text for a model, corrected by the gateway's earlier counts. */
export class TokenCounts {
  readonly #ratios = new Map<string, number>();

  count(model: string, content: string | VsCodeMessage): number {
    const estimate = typeof content === 'string' ? estimatedTokens(content) : messageEstimate(content);
    return Math.ceil(estimate * (this.#ratios.get(model) ?? 1));
  }

  /**
   * Corrects later estimates for a model.
   *
   * @param estimate by `requestEstimate`
   * @param reported the tokens of the whole request, as the gateway reported them
   */
  calibrate(model: string, estimate: number, reported: number): void {
    const ratio = reported / estimate;
    if (estimate < minCalibrationTokens || !(ratio >= minRatio && ratio <= maxRatio)) return;
    const before = this.#ratios.get(model) ?? ratio;
    this.#ratios.set(model, before + (ratio - before) * weight);
  }
}

/** The estimated tokens of a whole request, without correction; undefined if its tools are too long to count. */
export function requestEstimate(
  messages: readonly VsCodeMessage[],
  tools: readonly VsCodeTool[],
): number | undefined {
  let sum = 0;
  let length = 0;
  for (const tool of tools) {
    const text = JSON.stringify(tool);
    length += text.length;
    if (length > maxToolsLength) return undefined;
    sum += estimatedTokens(text);
  }
  for (const message of messages) sum += messageEstimate(message);
  return sum;
}

function messageEstimate({ content }: VsCodeMessage): number {
  let sum = messageTokens;
  for (const part of content) sum += partEstimate(part);
  return sum;
}

function partEstimate(part: unknown): number {
  if (!isObject(part)) return 0;
  const { value, name, input, content, mimeType } = part;
  if (typeof value === 'string') return estimatedTokens(value);
  if (typeof mimeType === 'string') return mimeType.startsWith('image/') ? pictureTokens : 0;
  if (Array.isArray(content))
    return content.reduce<number>((sum, each) => sum + partEstimate(each), messageTokens);
  return typeof name === 'string' ? estimatedTokens(name + JSON.stringify(input ?? {})) : 0;
}
