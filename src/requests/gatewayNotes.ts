import type { Transcript } from '../client/transcript.ts';

/** What a gateway, as the local one does, tells in the headers of a reply of how it came about. Plain data. */
export interface GatewayNotes {
  /** The name of the upstream that answered. */
  readonly upstream?: string;
  /** The model that answered, of those behind an alias. */
  readonly model?: string;
  /** The API formats that the request was converted between. */
  readonly conversion?: string;
  /** The fields that the conversion left out. */
  readonly dropped?: string;
  /** The models that were passed over, each with why. */
  readonly passedOver?: string;
}

const headers = {
  upstream: 'x-upstream',
  model: 'x-gateway-model',
  conversion: 'x-gateway-conversion',
  dropped: 'x-gateway-dropped',
  passedOver: 'x-gateway-passed-over',
} as const satisfies Record<keyof GatewayNotes, string>;

const maxLength = 500;

/** Reads the notes of a reply; undefined where there are none. */
export function gatewayNotes({ replyHeaders, hide }: Transcript): GatewayNotes | undefined {
  const told = Object.entries(headers).flatMap(([name, header]) => {
    const value = [replyHeaders[header] ?? ''].flat().join(', ');
    return value === '' ? [] : [[name, hide(value.slice(0, maxLength))]];
  });
  return told.length === 0 ? undefined : Object.fromEntries(told);
}
