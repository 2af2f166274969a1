import { randomUUID } from 'node:crypto';
import type { Transcript } from '../client/transcript.ts';
import type { ExchangeRecord } from '../client/types.ts';
import { inEnglish } from '../wire/explanations/explanation.ts';
import type { GatewayErrorInit } from '../wire/failures/gatewayError.ts';
import type { FailureDetails } from '../wire/failures/replyFailure.ts';
import {
  type ContentLimits,
  type RawContent,
  type RequestContent,
  readContent,
  readRawContent,
} from './requestContent.ts';

/**
 * The facts about one request and its reply, without headers and bodies. Plain data. Times are in milliseconds.
 */
export interface RequestFigures
  extends Omit<ExchangeRecord, 'requestedAt' | 'failure' | 'isExpected' | 'error' | 'transcript'> {
  /** Random; differs from the request id, which may be the same for several requests of one call. */
  readonly id: string;
  /** The name of the gateway, or its address if it has no name yet. */
  readonly gateway: string;
  /** Since 1970. */
  readonly requestedAt: number;
  readonly failure?: RequestFailure;
  /**
   * Present if another program sent the request: the name of the credential that the program used, empty for the
   * user's own credential.
   */
  readonly caller?: string;
  /** How the gateway produced the reply. */
  readonly notes?: GatewayNotes;
}

/** The notes in the headers of a reply about how a gateway, such as the local one, produced it. Plain data. */
interface GatewayNotes {
  /** The name of the upstream that replied. */
  readonly upstream?: string;
  /** The model that replied, if the request named an alias. */
  readonly model?: string;
  /** The API formats that the request was converted between. */
  readonly conversion?: string;
  /** The fields that the conversion omitted. */
  readonly dropped?: string;
  /** The models that were skipped, each with the reason. */
  readonly skippedModels?: string;
}

/** Why a request failed. */
export interface RequestFailure
  extends Pick<GatewayErrorInit, 'kind' | 'reason' | 'explanation' | 'gatewayMessage'> {
  /** The explanation in English. */
  readonly message: string;
}

/** The failure of a request without an `ExchangeRecord`: only the class of the failure is known. */
export function createRequestFailure({ kind, reason, explanation }: FailureDetails): RequestFailure {
  return { kind, explanation, message: inEnglish(explanation), ...(reason && { reason }) };
}

/** A request with its headers and bodies, if they are known. Plain data. */
export interface OpenedRequest {
  readonly figures: RequestFigures;
  readonly content?: RequestContent | undefined;
}

/** A request of this window. */
export interface RequestRecord {
  readonly figures: RequestFigures;
  /** Headers and bodies; undefined if they are not recorded. Computed again by each call. */
  readonly content: (limits?: ContentLimits) => RequestContent | undefined;
  /** The content for another thread, which hides the credential. At most `maxBodyBytes` of each body. */
  readonly raw: (maxBodyBytes: number) => UnhiddenContent | undefined;
  /** The approximate memory of the content, in bytes. */
  readonly contentBytes: number;
}

/**
 * Content that may contain the credential, and the credential. Plain data, only for another thread of this
 * program.
 */
export interface UnhiddenContent {
  readonly content: RawContent;
  readonly secrets: readonly string[];
}

/** How a request ended. */
export type RequestState = 'succeeded' | 'failed' | 'cancelled';

export function requestState({ failure }: RequestFigures): RequestState {
  if (!failure) return 'succeeded';
  return failure.kind === 'cancelled' ? 'cancelled' : 'failed';
}

/** Converts the client's record of an exchange. */
export function createRequestRecord(exchange: ExchangeRecord, gateway: string): RequestRecord {
  const { error, transcript, requestedAt, failure: message = '', isExpected = false, ...facts } = exchange;
  const notes = transcript && readGatewayNotes(transcript);
  const figures: RequestFigures = {
    ...facts,
    id: randomUUID(),
    gateway,
    requestedAt: requestedAt.getTime(),
    ...(notes && { notes }),
    ...(error &&
      !isExpected && {
        failure: {
          kind: error.kind,
          explanation: error.explanation,
          message,
          ...(error.reason !== undefined && { reason: error.reason }),
          ...(error.gatewayMessage !== undefined && { gatewayMessage: error.gatewayMessage }),
        },
      }),
  };
  return {
    figures,
    content: (limits) => transcript && readContent(transcript, limits),
    raw: (maxBodyBytes) =>
      transcript && {
        content: readRawContent(transcript, maxBodyBytes),
        secrets: transcript.secrets(),
      },
    contentBytes: (transcript?.replyBytes ?? 0) + (transcript?.requestBody?.length ?? 0),
  };
}

const noteHeaders = {
  upstream: 'x-upstream',
  model: 'x-gateway-model',
  conversion: 'x-gateway-conversion',
  dropped: 'x-gateway-dropped',
  skippedModels: 'x-gateway-skipped-models',
} as const satisfies Record<keyof GatewayNotes, string>;

const maxNoteLength = 500;

/** Reads the notes of a reply; undefined if there are none. */
function readGatewayNotes({ replyHeaders, hide }: Transcript): GatewayNotes | undefined {
  const notes = Object.entries(noteHeaders).flatMap(([name, header]) => {
    const value = [replyHeaders[header] ?? ''].flat().join(', ');
    return value === '' ? [] : [[name, hide(value.slice(0, maxNoteLength))]];
  });
  return notes.length === 0 ? undefined : Object.fromEntries(notes);
}
