import { endedInUnreadableCall } from '../../../wire/apis/contentGeneration/readReply.ts';
import {
  type Choice,
  type ReplyFacts,
  UnconvertibleReply,
  WordlessReply,
} from '../../../wire/apis/format/replyForm.ts';
import type { ChatEvent, Usage } from '../../../wire/chatEvent.ts';
import { type Finish, type Section, Sections, type Step } from '../../../wire/stream/sections.ts';

/** What is known of a reply before it comes. */
export interface ExpectedReply {
  /** The id of the reply where it has none. */
  readonly id: string;
  /** The model that was asked, where the reply names none. */
  readonly model: string;
  readonly createdAt: Date;
  readonly requestId: string;
  /** How many answers were asked for. */
  readonly choices: number;
  /** Whether a call of the caller's format holds its signature. */
  readonly signsCalls: boolean;
  /** The caller's name of a tool, by the upstream's. */
  readonly toolName: (plain: string) => string;
}

interface GrowingChoice {
  readonly sections: Sections;
  readonly closed: Section[];
  finish: Finish | undefined;
  /** The upstream's own word for why it ended. */
  finishWord: string;
}

/** A reply as it is put together from its events. */
export class ReplyBody {
  readonly facts: ReplyFacts;
  readonly #choices: readonly GrowingChoice[];
  /** How many choices there are at least, by what came of them. */
  #seen = 1;
  #usage: Usage | undefined;

  /** @param start the first event, which may name the reply and the model */
  constructor(expected: ExpectedReply, start: ChatEvent | undefined) {
    const told: { readonly id?: string; readonly model?: string } = start?.type === 'start' ? start : {};
    const { createdAt, requestId, choices, signsCalls } = expected;
    const id = told.id ?? expected.id;
    this.facts = {
      ...{ id, model: told.model ?? expected.model, createdAt, requestId },
      usage: () => this.#usage,
    };
    this.#choices = Array.from({ length: choices }, (_, nth) => ({
      // An id of its own in the whole conversation, where an upstream gives calls none. OpenAI takes 40 characters.
      sections: new Sections((position) => `call_${expected.id.slice(0, 23)}_${nth}_${position}`, signsCalls),
      closed: [],
      finish: undefined,
      finishWord: '',
    }));
  }

  /** @returns what the event changes, and in which choice; nothing for choices that were not asked for */
  read(event: ChatEvent): { readonly choice: number; readonly steps: readonly Step[] } | undefined {
    if (event.type === 'usage') this.#usage = { ...this.#usage, ...event.usage };
    const index = 'choice' in event ? event.choice : undefined;
    const choice = index === undefined ? undefined : this.#choices[index];
    if (!choice || index === undefined) return undefined;
    this.#seen = Math.max(this.#seen, index + 1);
    if (event.type === 'finish') {
      choice.finish = { reason: event.reason };
      choice.finishWord = event.raw;
    }
    return { choice: index, steps: this.#noted(choice, choice.sections.read(event)) };
  }

  /**
   * Closes what is open in each choice.
   *
   * @param truncated whether the reply was, for whatever reason
   * @throws {WordlessReply} when it ended without an answer, for a reason that would be lost
   * @throws {UnconvertibleReply} when it ended in a call that its provider could not read
   */
  end(truncated: boolean): readonly { readonly choice: number; readonly steps: readonly Step[] }[] {
    for (const choice of this.#choices) {
      if (truncated && choice.finish?.reason === 'other') choice.finish = { reason: 'length' };
    }
    const ended = this.#choices.map((choice, index) => ({
      choice: index,
      steps: this.#noted(choice, choice.sections.end(isCut(choice.finish))),
    }));
    for (const choice of this.#choices.slice(0, this.#seen)) refuseLost(choice);
    return ended;
  }

  /** How the choices ended. Call it after `end`. */
  get finishes(): readonly Finish[] {
    return this.#choices.slice(0, this.#seen).map(finishOf);
  }

  /** The choices, whole. Call it after `end`. */
  get choices(): readonly [Choice, ...Choice[]] {
    const [first = { sections: [], finish: { reason: 'other' as const } }, ...others] = this.#choices
      .slice(0, this.#seen)
      .map((choice) => ({ sections: choice.closed, finish: finishOf(choice) }));
    return [first, ...others];
  }

  #noted({ closed }: GrowingChoice, steps: readonly Step[]): readonly Step[] {
    for (const { type, section } of steps) if (type === 'close') closed.push(section);
    return steps;
  }
}

/** Whether the provider ended the choice before the model did. */
function isCut(finish: Finish | undefined): boolean {
  return finish?.reason === 'length' || finish?.reason === 'content-filter';
}

/** Callers would take it for a whole answer, and agents for the end of their work. */
function refuseLost({ finish, finishWord, closed }: GrowingChoice): void {
  if (endedInUnreadableCall(finishWord))
    throw new UnconvertibleReply(
      `The model called a tool in a way that its provider could not read (${finishWord}). Ask again.`,
    );
  const isOdd = finish?.reason === 'other' || finish?.reason === 'error';
  if (isOdd && closed.every(({ head }) => head.kind === 'reasoning')) throw new WordlessReply(finishWord);
}

/** Some servers say no more than that they stopped where they called tools, or say it in a word of their own. */
function finishOf({ finish, sections }: GrowingChoice): Finish {
  const isPlain = finish === undefined || finish.reason === 'stop' || finish.reason === 'other';
  if (sections.hasCalls && isPlain) return { reason: 'tool-calls' };
  return finish ?? { reason: 'stop' };
}
