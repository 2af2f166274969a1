import * as z from 'zod';
import type { FromTaskPage, TaskAction } from '../../protocol/taskPage.ts';

const actions: Readonly<Record<TaskAction, true>> = {
  save: true,
  reveal: true,
  'open-in-player': true,
  'fetch-again': true,
  'stop-fetching': true,
  'open-link': true,
  'watch-now': true,
  'stop-watching': true,
  resume: true,
  cancel: true,
  delete: true,
  remove: true,
  'run-again': true,
  send: true,
  discard: true,
  find: true,
  'set-credential': true,
  'show-log': true,
  'copy-task-id': true,
  'copy-request-id': true,
  'copy-request': true,
  'copy-record': true,
  'copy-text': true,
};

const channel = z.string();

const fromTaskPage = z.discriminatedUnion('type', [
  z.strictObject({ channel, type: z.literal('ready') }),
  z.strictObject({
    channel,
    type: z.literal('action'),
    action: z.enum(Object.keys(actions) as TaskAction[]),
    result: z.int().min(0).max(255).optional(),
  }),
]);

/** Checks what a page sent. A message of another page, an unknown kind or a wrong shape is none (T13). */
export function readTaskMessage(message: unknown, ownChannel: string): FromTaskPage | undefined {
  const checked = fromTaskPage.safeParse(message);
  return checked.success && checked.data.channel === ownChannel ? (checked.data as FromTaskPage) : undefined;
}
