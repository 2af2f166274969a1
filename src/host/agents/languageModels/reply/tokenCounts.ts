import { isObject } from '../../../../base/json.ts';
import { estimatedTokens } from '../../../../base/tokenEstimate.ts';
import type { HostTool } from '../requestSettings.ts';
import type { HostMessage } from './hostMessages.ts';

/** What a picture comes to at most providers, in tokens. */
const pictureTokens = 1000;

/** What a message costs beside its content, in tokens. */
const messageTokens = 4;

/** A gateway that tells more or less than this of an estimate counts something else. */
const leastRatio = 0.5;
const mostRatio = 3;

/** How much a new count changes what is known of a model. */
const weight = 0.5;

/** Longer tools are not measured, which would take long, in UTF-16 units. */
const maxMeasured = 1_000_000;

/** A shorter request says little about a model. */
const leastLearned = 200;

/** About how many tokens something is for a model: an estimate, corrected by what the gateway counted before. */
export class TokenCounts {
  readonly #ratios = new Map<string, number>();

  count(model: string, content: string | HostMessage): number {
    const estimate = typeof content === 'string' ? estimatedTokens(content) : messageEstimate(content);
    return Math.ceil(estimate * (this.#ratios.get(model) ?? 1));
  }

  /** @param counted the tokens of a whole request, as the gateway told them */
  learn(model: string, estimate: number, counted: number): void {
    const ratio = counted / estimate;
    if (estimate < leastLearned || !(ratio >= leastRatio && ratio <= mostRatio)) return;
    const before = this.#ratios.get(model) ?? ratio;
    this.#ratios.set(model, before + (ratio - before) * weight);
  }
}

/** The estimate of a whole request, without correction; undefined for one whose tools are too long to be measured. */
export function requestEstimate(
  messages: readonly HostMessage[],
  tools: readonly HostTool[],
): number | undefined {
  let sum = 0;
  let length = 0;
  for (const tool of tools) {
    const text = JSON.stringify(tool);
    length += text.length;
    if (length > maxMeasured) return undefined;
    sum += estimatedTokens(text);
  }
  for (const message of messages) sum += messageEstimate(message);
  return sum;
}

function messageEstimate({ content }: HostMessage): number {
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
