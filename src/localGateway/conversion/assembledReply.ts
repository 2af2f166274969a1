import { endedInUnreadableCall } from '../../wire/apis/contentGeneration/readReply.ts';
import {
  EmptyReplyError,
  type ReplyChoice,
  type ReplyFacts,
  UnconvertibleReplyError,
} from '../../wire/apis/shared/replyForm.ts';
import type { ChatEvent, Usage } from '../../wire/chatEvent.ts';
import { type Finish, type Section, type SectionStep, Sections } from '../../wire/stream/sections.ts';
import type { ThinkTags } from '../../wire/stream/thinkTags.ts';

/** The values of a reply that are known before it arrives. */
export interface ExpectedReply {
  /** The ID of the reply if the upstream does not provide one. */
  readonly id: string;
  /** The requested model, which is used if the reply does not name a model. */
  readonly model: string;
  readonly createdAt: Date;
  readonly requestId: string;
  /** The number of requested choices. */
  readonly choices: number;
  /** Whether calls have signatures in the caller's format. */
  readonly signsCalls: boolean;
  /** How the upstream's model marks reasoning in its text. */
  readonly thinkTags?: ThinkTags | undefined;
  /** Maps the upstream's name of a tool to the caller's name. */
  readonly restoreToolName: (plain: string) => string;
  /** Called with each event that affects the costs, because the converted reply may not contain it. */
  readonly noteCosts?: (event: ChatEvent) => void;
}

interface GrowingChoice {
  readonly sections: Sections;
  readonly closedSections: Section[];
  finish: Finish | undefined;
  /** The upstream's own finish reason. */
  rawReason: string;
}

/** A reply that is assembled from its events. */
export class AssembledReply {
  readonly facts: ReplyFacts;
  readonly #choices: readonly GrowingChoice[];
  /** The number of choices seen so far, at least 1. */
  #choiceCount = 1;
  #usage: Usage | undefined;
  readonly #noteCosts: ExpectedReply['noteCosts'];

  /** @param start the first event, which may name the reply and the model */
  constructor(expected: ExpectedReply, start: ChatEvent | undefined) {
    const startEvent: { readonly id?: string; readonly model?: string } =
      start?.type === 'start' ? start : {};
    const { createdAt, requestId, choices, signsCalls } = expected;
    this.#noteCosts = expected.noteCosts;
    const id = startEvent.id ?? expected.id;
    this.facts = {
      id,
      model: startEvent.model ?? expected.model,
      createdAt,
      requestId,
      usage: () => this.#usage,
    };
    this.#choices = Array.from({ length: choices }, (_, index) => ({
      // A fallback ID of a call, unique in the whole conversation. OpenAI accepts 40 characters.
      sections: new Sections(
        (position) => `call_${expected.id.slice(0, 23)}_${index}_${position}`,
        signsCalls,
      ),
      closedSections: [],
      finish: undefined,
      rawReason: '',
    }));
  }

  /**
   * Adds an event to the reply.
   *
   * @returns the resulting steps and their choice; undefined for choices that were not requested
   */
  read(event: ChatEvent): { readonly choice: number; readonly steps: readonly SectionStep[] } | undefined {
    const isCosts = event.type === 'usage' || event.type === 'cost' || event.type === 'serviceTier';
    if (isCosts) this.#noteCosts?.(event);
    if (event.type === 'usage') this.#usage = { ...this.#usage, ...event.usage };
    const index = 'choice' in event ? event.choice : undefined;
    const choice = index === undefined ? undefined : this.#choices[index];
    if (!choice || index === undefined) return undefined;
    this.#choiceCount = Math.max(this.#choiceCount, index + 1);
    if (event.type === 'finish') {
      choice.finish = { reason: event.reason };
      choice.rawReason = event.raw;
    }
    return { choice: index, steps: this.#storeClosed(choice, choice.sections.read(event)) };
  }

  /**
   * Closes the open sections of each choice.
   *
   * @param isTruncated whether the reply was truncated, even if its finish reason is unknown
   * @throws {EmptyReplyError} if a choice ended without content, for a reason that would be lost
   * @throws {UnconvertibleReplyError} if a choice ended in a tool call that the provider could not parse
   */
  end(isTruncated: boolean): readonly { readonly choice: number; readonly steps: readonly SectionStep[] }[] {
    for (const choice of this.#choices) {
      if (isTruncated && choice.finish?.reason === 'other') choice.finish = { reason: 'length' };
    }
    const endings = this.#choices.map((choice, index) => ({
      choice: index,
      steps: this.#storeClosed(choice, choice.sections.end(isCut(choice.finish))),
    }));
    for (const choice of this.#choices.slice(0, this.#choiceCount)) refuseLostReason(choice);
    return endings;
  }

  /** The finish of each choice. Read it after `end`. */
  get finishes(): readonly Finish[] {
    return this.#choices.slice(0, this.#choiceCount).map(determineFinish);
  }

  /** The complete choices. Read it after `end`. */
  get choices(): readonly [ReplyChoice, ...ReplyChoice[]] {
    const [first = { sections: [], finish: { reason: 'other' as const } }, ...others] = this.#choices
      .slice(0, this.#choiceCount)
      .map((choice) => ({ sections: choice.closedSections, finish: determineFinish(choice) }));
    return [first, ...others];
  }

  /** @returns the unchanged steps */
  #storeClosed({ closedSections }: GrowingChoice, steps: readonly SectionStep[]): readonly SectionStep[] {
    for (const { type, section } of steps) if (type === 'close') closedSections.push(section);
    return steps;
  }
}

/** Whether the provider ended the choice before the model did. */
function isCut(finish: Finish | undefined): boolean {
  return finish?.reason === 'length' || finish?.reason === 'content-filter';
}

/**
 * Refuses a choice whose finish reason would be lost. Callers would treat it as complete, and agents would end their
 * work.
 */
function refuseLostReason({ finish, rawReason, closedSections }: GrowingChoice): void {
  if (endedInUnreadableCall(rawReason))
    throw new UnconvertibleReplyError(
      `The provider could not parse a tool call of the model (${rawReason}). Send the request again.`,
    );
  const isUnexplained = finish?.reason === 'other' || finish?.reason === 'error';
  if (isUnexplained && closedSections.every(({ head }) => head.kind === 'reasoning'))
    throw new EmptyReplyError(rawReason);
}

/**
 * Corrects the finish after tool calls, for which some servers report a plain stop or a reason that only they use.
 */
function determineFinish({ finish, sections }: GrowingChoice): Finish {
  const isPlain = finish === undefined || finish.reason === 'stop' || finish.reason === 'other';
  if (sections.hasCalls && isPlain) return { reason: 'tool-calls' };
  return finish ?? { reason: 'stop' };
}
