import { type JsonObject, jsonText } from '../../base/json.ts';
import type { FailureDetails } from '../failures/replyFailure.ts';
import { minEchoLength } from '../secrets/echoFilter.ts';
import { containsSecret } from '../secrets/secretForms.ts';
import type { DecodedReply, FormatDecoder } from './decodedReply.ts';
import type { ChangingValue } from './repeatedEvents.ts';

/**
 * Records one reply in its API format: its blocks, parts, items or steps with all members. Providers require
 * signatures, ids and their order unchanged when a conversation continues after tool calls.
 */
export interface VerbatimRecorder {
  /** A payload is valid only until the next one, so the recorder stores copies. */
  read(payload: JsonObject): void;
  /**
   * The recorded reply, for the next request.
   *
   * @param ids the id of each tool call, by its position; undefined for a call that is omitted
   */
  toVerbatim(ids: readonly (string | undefined)[]): readonly JsonObject[];
  /** The kind of reasoning in the reply; undefined if there is none. */
  readonly reasoning: VerbatimReasoning | undefined;
}

/**
 * Signed or encrypted reasoning is sent back with every reply. Plain reasoning is sent back only if tools were
 * called: otherwise, providers ignore or refuse it.
 */
export type VerbatimReasoning = 'signed' | 'plain';

/** Decodes a reply and records it. */
export class RecordingDecoder implements FormatDecoder {
  readonly requiredMember: string;
  readonly eventType?: string;
  readonly hasEndMark?: boolean;
  readonly findChanging?: (payload: unknown) => readonly ChangingValue[];
  readonly #decoder: FormatDecoder;
  readonly #recorder: VerbatimRecorder;
  #secrets: readonly string[] = [];
  #reply: DecodedReply | undefined;
  #isComplete = true;

  constructor(decoder: FormatDecoder, recorder: VerbatimRecorder) {
    this.#decoder = decoder;
    this.#recorder = recorder;
    this.requiredMember = decoder.requiredMember;
    if (decoder.eventType !== undefined) this.eventType = decoder.eventType;
    if (decoder.hasEndMark !== undefined) this.hasEndMark = decoder.hasEndMark;
    if (decoder.findChanging) this.findChanging = decoder.findChanging;
  }

  hideSecrets(secrets: readonly string[]): void {
    this.#secrets = secrets.filter(({ length }) => length >= minEchoLength);
  }

  parse(data: string): unknown {
    return this.#decoder.parse(data);
  }

  read(payload: JsonObject, reply: DecodedReply): FailureDetails | undefined {
    this.#reply = reply;
    this.#record(payload);
    return this.#decoder.read(payload, reply);
  }

  get reasoning(): VerbatimReasoning | undefined {
    return this.#recorder.reasoning;
  }

  /** `structuredClone` throws for a value that is nested too deeply. Such a reply is decoded, but not recorded. */
  #record(payload: JsonObject): void {
    try {
      this.#recorder.read(payload);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#isComplete = false;
    }
  }

  /**
   * The recorder's `toVerbatim`; undefined if the recording is incomplete or empty, repeats a credential, or has
   * reasoning between tags in its text.
   */
  toVerbatim(ids: readonly (string | undefined)[]): readonly JsonObject[] | undefined {
    if (!this.#isComplete || this.#reply?.hasThinkTags) return undefined;
    const verbatim = this.#recorder.toVerbatim(ids);
    const text = jsonText(verbatim);
    const isUsable = verbatim.length > 0 && text !== undefined;
    return isUsable && !this.#secrets.some((secret) => containsSecret(text, secret)) ? verbatim : undefined;
  }
}
