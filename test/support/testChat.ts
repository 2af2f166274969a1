import * as vscode from 'vscode';
import { ReplyChecker } from '../../src/conversations/schemaCheck/replyChecker.ts';
import type { Services } from '../../src/host/app/services.ts';
import type { ContextMessages } from '../../src/host/chat/pageMessages/contextMessages.ts';
import type { ReplyActions } from '../../src/host/chat/replies/replyActions.ts';
import type { ChatSession } from '../../src/host/chat/session/chatSession.ts';
import { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import { TestPanel } from './testPanel.ts';

/** Creates a page of a chat. The test sends its messages. */
export function createTestChat(
  { log, chats, prompts }: Pick<Services, 'log' | 'chats' | 'prompts'>,
  session: ChatSession,
): TestPanel<unknown> {
  const page = new TestPanel();
  const frame = { panel: page.asPanel, element: 'mg-chat', dist: vscode.Uri.file('/dist'), log } as const;
  const tabs = { open: (fork: ChatSession) => chats.open({ session: fork }), handleClosed() {} };
  new ChatPanel(frame, session, tabs, {
    replies: {} as ReplyActions,
    completions: [],
    promptMemory: prompts.memory,
    context: {} as ContextMessages,
    replyChecker: new ReplyChecker(''),
  });
  return page;
}
