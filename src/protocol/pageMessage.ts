/** Message parts that several pages share. The host validates by the schemas; pages import types only. */
import * as z from 'zod';
import { jsonText } from '../base/json.ts';

/**
 * The longest text that a page may send, in UTF-16 units. The page refuses longer texts with a message of its own.
 */
const maxTextLength = 1024 * 1024;

/** The first message of a page, sent again after a missed message: requests the whole state. */
export const ready = z.strictObject({ type: z.literal('ready') });

export const text = z.string().max(maxTextLength);

/** An id from the host or the page. */
export const id = z.string().max(64);

export const parameterValues = z
  .record(z.string(), z.unknown())
  .refine((values) => (jsonText(values)?.length ?? Number.POSITIVE_INFINITY) <= maxTextLength);

/** The fields of a request that are set, by name. */
export type ParameterValues = Readonly<z.infer<typeof parameterValues>>;

/** A piece of a pasted or dropped picture: base64 of at most 512 KiB. The page chooses `id`. */
export const picturePiece = { id, data: z.base64().max(maxTextLength), isLast: z.boolean() };

/** The addresses of dropped files, as VS Code's views and editors provide them. */
export const droppedUris = z.array(z.string().max(8192)).max(32);

/** The actions of the buttons of a notice. */
export const replyAction = z.enum([
  'again',
  'edit',
  'continue',
  'connect',
  'try-demo',
  'start-local-gateway',
  'set-upstream-key',
  'set-credential',
  'change-address',
  'choose-model',
  'compare-models',
  'ask-one-model',
  'choose-format',
  'open-parameters',
  'show-field',
  'refresh-models',
  'new-chat',
  'move-chat',
  'open-gateway-settings',
  'open-timeouts',
  'open-proxy',
  'raise-limit',
  'open-limits',
  'check-connection',
  'open-request',
  'copy-details',
  'show-log',
  'open-help',
]);

export type ReplyAction = z.infer<typeof replyAction>;

/** A button of a notice or a task. */
export interface ActionButton<Action> {
  readonly action: Action;
  readonly label: string;
  /** How long the button is disabled, in milliseconds from its arrival at the page. */
  readonly waitMs?: number;
}

/** A message about a problem or an event, with buttons that help. It looks the same on every page. */
export interface Notice<Action> {
  /** A few words, or one sentence with the cause and the next step. */
  readonly title: string;
  /** Details that the title omits, such as the gateway's own message; may be empty. */
  readonly detail: string;
  readonly severity: 'info' | 'error';
  /** The first button is the main button. */
  readonly buttons: readonly ActionButton<Action>[];
  readonly requestId?: string;
  /** The gateway's own id of the request. */
  readonly gatewayRequestId?: string;
}
