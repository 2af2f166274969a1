import * as vscode from 'vscode';
import { loadPart } from '../../kit/loadPart.ts';
import { participantId } from '../../kit/manifest/contributions.ts';
import type { AgentServices } from '../agentServices.ts';

/** Registers `@gateway` in VS Code's own chat. Its code loads with the first question. */
export function registerParticipant(context: vscode.ExtensionContext, services: AgentServices): void {
  const load = () => loadPart(() => import('./participant.ts'));
  const participant = vscode.chat.createChatParticipant(
    participantId,
    async (request, history, stream, token) =>
      (await load()).handleRequest(services, { request, history: history.history, stream, token }),
  );
  participant.iconPath = vscode.Uri.joinPath(context.extensionUri, 'media', 'gateway.svg');
  participant.followupProvider = {
    provideFollowups: async (result) => [...(await load()).followups(result)],
  };
  context.subscriptions.push(participant);
}
