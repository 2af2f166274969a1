import * as vscode from 'vscode';
import { beginsAsJson } from '../../../base/jsonBeginning.ts';
import { asksForJson } from '../../../conversations/conversation/chatParameters.ts';
import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import { textOf } from '../../../conversations/conversation/reply.ts';
import type { CopyMessage } from '../../../protocol/copyMessage.ts';
import { visibleText } from '../../kit/display/plainText.ts';

/** Puts what the user asks for into the clipboard. What is not there leaves the clipboard as it is. */
export async function handleCopy(message: CopyMessage, conversation: Conversation): Promise<void> {
  const text = copied(message, conversation);
  if (text) await vscode.env.clipboard.writeText(text);
}

function copied(message: CopyMessage, conversation: Conversation): string | undefined {
  if (message.type === 'copy-code') return message.text;
  const turn = conversation.turn(message.turnId);
  switch (message.type) {
    case 'copy-reply': {
      const reply = turn?.replies[message.choice];
      if (!turn || !reply) return undefined;
      const text = textOf(reply);
      // JSON is data, of which a program reads each character.
      const isData = asksForJson(turn.question) && beginsAsJson(text);
      return isData ? text : visibleText(text);
    }
    case 'copy-request-id':
      return turn?.result?.requestId;
    case 'copy-gateway-request-id':
      return turn?.result?.gatewayRequestId;
    default:
      return message satisfies never;
  }
}
