import type { ChatCompletionsRequest } from '../../wire/shapes/chatCompletions.ts';
import type { Model } from '../../wire/shapes/models.ts';

export interface ChatCall {
  /** The model's id as the upstream knows it. */
  readonly model: string;
  /** The checked request, as the caller wrote it. */
  readonly request: ChatCompletionsRequest;
  /** The request as JSON bytes that name `model`: the caller's own bytes wherever the ids agree. */
  readonly body: Uint8Array;
  readonly requestId: string;
  /** Aborted when the caller has gone or the gateway ends; the reply's body then ends at once. */
  readonly signal: AbortSignal;
}

/** A reply as it goes to the caller, byte for byte. */
export interface UpstreamReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Read once. Ends with an error when the upstream's reply was cut, so that the caller's is cut too. */
  readonly body: AsyncIterable<Uint8Array | string>;
}

/** A place that has models. Failures that are not the upstream's own reply are thrown as HttpError. */
export interface Upstream {
  readonly name: string;
  listModels(signal: AbortSignal): Promise<readonly Model[]>;
  chat(call: ChatCall): Promise<UpstreamReply>;
  /** Drops all connections. */
  close(): Promise<void>;
}
