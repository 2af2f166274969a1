import { type JsonObject, jsonText } from '../../base/json.ts';
import type { FailureDetails } from '../errorMapping.ts';
import { minEchoLength } from '../secrets/echoes.ts';
import { holdsSecret } from '../secrets/secretForms.ts';
import type { FormatDecoder, Reply } from './reply.ts';

/**
 * Gathers what one reply said as its API format wrote it: its blocks, parts, items or steps with all that is in
 * them. Providers want signatures, ids and their order back unchanged when a conversation goes on after tool calls.
 */
export interface SaidRecorder {
  /** A payload is valid only until the next one: what is kept of it is a copy. */
  read(payload: JsonObject): void;
  /**
   * What was said, for the next request.
   *
   * @param ids by the position of each tool call: the id that it goes by; undefined for a call that is left out
   */
  said(ids: readonly (string | undefined)[]): readonly JsonObject[];
  /** The reasoning that came with the words; undefined where none did. */
  readonly reasoning: SaidReasoning | undefined;
}

/**
 * Signed or encrypted reasoning goes back with every reply. Plain one does where tools were called: elsewhere, providers
 * ignore or refuse it.
 */
export type SaidReasoning = 'signed' | 'plain';

/** Decodes a reply, and records what it said. */
export class RecordingDecoder implements FormatDecoder {
  readonly holds: string;
  readonly eventType?: string;
  readonly hasEndMark?: boolean;
  readonly #decoder: FormatDecoder;
  readonly #recorder: SaidRecorder;
  #secrets: readonly string[] = [];

  constructor(decoder: FormatDecoder, recorder: SaidRecorder) {
    this.#decoder = decoder;
    this.#recorder = recorder;
    this.holds = decoder.holds;
    if (decoder.eventType !== undefined) this.eventType = decoder.eventType;
    if (decoder.hasEndMark !== undefined) this.hasEndMark = decoder.hasEndMark;
  }

  hide(secrets: readonly string[]): void {
    this.#secrets = secrets.filter(({ length }) => length >= minEchoLength);
  }

  parse(data: string): unknown {
    return this.#decoder.parse(data);
  }

  read(payload: JsonObject, reply: Reply): FailureDetails | undefined {
    this.#recorder.read(payload);
    return this.#decoder.read(payload, reply);
  }

  get reasoning(): SaidReasoning | undefined {
    return this.#recorder.reasoning;
  }

  /** As that of the recorder; undefined for nothing, and for what repeats a credential. */
  said(ids: readonly (string | undefined)[]): readonly JsonObject[] | undefined {
    const said = this.#recorder.said(ids);
    const text = jsonText(said);
    const isKept = said.length > 0 && text !== undefined;
    return isKept && !this.#secrets.some((secret) => holdsSecret(text, secret)) ? said : undefined;
  }
}
