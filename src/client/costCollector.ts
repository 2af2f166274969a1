import type { ChatEvent, Usage } from '../wire/chatEvent.ts';
import type { PaidReply } from './types.ts';

/** A typical picture, in UTF-16 units of text. */
const mediaLength = 2_000;

/**
 * Collects the costs that a reply reports. Of repeated reports, the largest values count, because a report that
 * shrinks must not hide costs.
 */
export class CostCollector {
  #model: string | undefined;
  #usage: Usage | undefined;
  #media = 0;
  #costUsd: number | undefined;
  #serviceTier: string | undefined;
  #textLength = 0;

  add(event: ChatEvent): void {
    switch (event.type) {
      case 'text':
      case 'reasoning':
      case 'refusal':
        this.#textLength += event.text.length;
        break;
      case 'toolCall':
        this.#textLength += (event.arguments?.length ?? 0) + (event.name?.length ?? 0);
        break;
      case 'media':
      case 'mediaLink':
        this.#media += 1;
        this.#textLength += mediaLength;
        break;
      case 'start':
        this.#model = event.model;
        break;
      case 'usage':
        this.#usage = largestCounts(this.#usage, event.usage);
        break;
      case 'cost':
        this.#costUsd = Math.max(this.#costUsd ?? 0, event.usd);
        break;
      case 'serviceTier':
        this.#serviceTier = event.name;
        break;
    }
  }

  get reply(): PaidReply {
    const usage = this.#usage && this.#media > 0 ? { otherUnits: this.#media, ...this.#usage } : this.#usage;
    return {
      ...(this.#model !== undefined && { model: this.#model }),
      ...(usage && { usage }),
      ...(this.#costUsd !== undefined && { costUsd: this.#costUsd }),
      ...(this.#serviceTier !== undefined && { serviceTier: this.#serviceTier }),
      textLength: this.#textLength,
    };
  }
}

function largestCounts(before: Usage | undefined, reported: Usage): Usage {
  if (!before) return reported;
  const largest: { -readonly [Name in keyof Usage]: Usage[Name] } = { ...before };
  for (const [name, count] of Object.entries(reported) as [keyof Usage, number][])
    largest[name] = Math.max(count, before[name] ?? 0);
  return largest;
}
