import * as vscode from 'vscode';
import { participantId } from '../contributions.ts';
import { loadPart } from '../loadPart.ts';
import type { Services } from '../services.ts';

/** Registers `@gateway` in VS Code's own chat. What answers there loads with the first question. */
export function registerParticipant(context: vscode.ExtensionContext, services: Services): void {
  const load = () => loadPart(() => import('./participant.ts'));
  const participant = vscode.chat.createChatParticipant(
    participantId,
    async (request, history, stream, token) =>
      (await load()).answerRequest(services, { request, history: history.history, stream, token }),
  );
  participant.iconPath = vscode.Uri.joinPath(context.extensionUri, 'media', 'gateway.svg');
  participant.followupProvider = {
    provideFollowups: async (result) => [...(await load()).followups(result)],
  };
  context.subscriptions.push(participant);
}
