import * as z from 'zod';
import type { ReplyAction } from '../../protocol/chatPage.ts';

/** Every action that a notice can offer, so that none of them is offered and then dropped. */
const actions: Readonly<Record<ReplyAction, true>> = {
  again: true,
  continue: true,
  connect: true,
  'use-demo-gateway': true,
  'set-credential': true,
  'change-address': true,
  'choose-model': true,
  'choose-style': true,
  'refresh-models': true,
  'new-chat': true,
  'move-chat': true,
  'open-timeouts': true,
  'open-proxy': true,
  'show-log': true,
};

/** What the button of a notice asks for, as a page sends it. */
export const replyAction = z.enum(Object.keys(actions) as ReplyAction[]);
