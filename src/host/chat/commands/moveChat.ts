import * as vscode from 'vscode';
import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import { buildGatewayKey, type Gateway, localEntry } from '../../connection/gateways.ts';
import { confirm } from '../../kit/display/notify.ts';
import { type Choice, pick } from '../../kit/display/quickInput.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { ChatServices } from '../chatServices.ts';
import type { ChatSession } from '../session/chatSession.ts';
import type { QuestionTarget } from '../session/questionTarget.ts';

interface GatewayItem extends Choice {
  readonly gateway: Gateway | undefined;
}

/**
 * Lets the user choose another gateway, and moves the last active chat to it. The next question sends the whole
 * conversation. If the chat is not bound to a gateway yet, lets the user switch the window's gateway instead.
 */
export async function moveChat(services: ChatServices): Promise<void> {
  const chat = services.chats.lastActive;
  if (!chat) return runCommand('newChat');
  const { session } = chat;
  if (!session.target.gateway.boundGateway) return runCommand('switchGateway');
  const chosen = await pickGateway(services, session.target);
  if (chosen?.kind === 'local' && !(await services.localGateway.consent.request())) return;
  if (chosen && (await confirmMove(session, chosen))) session.target.moveTo(chosen);
  chat.perform('focus-composer');
}

async function pickGateway(
  { gateways }: ChatServices,
  { gateway }: QuestionTarget,
): Promise<Gateway | undefined> {
  const current = gateway.connection && buildGatewayKey(gateway.connection.gateway);
  const others = [...gateways.all, localEntry].filter((other) => buildGatewayKey(other) !== current);
  const items: GatewayItem[] = others.map((other) => ({
    gateway: other,
    label: other.name,
    description: describeLocation(other),
  }));
  const connect = {
    icon: 'plug',
    label: vscode.l10n.t('Connect to Another Gateway…'),
    gateway: undefined,
  };
  const title = vscode.l10n.t('Choose the gateway to move this chat to');
  const chosen = await pick<GatewayItem>([...items, connect], { title });
  if (chosen === connect) await runCommand('connect');
  return chosen?.gateway;
}

async function confirmMove({ conversation, target }: ChatSession, to: Gateway): Promise<boolean> {
  const move = vscode.l10n.t('Move Chat');
  const chosen = await confirm(
    vscode.l10n.t('Move this chat to {0}?', to.name),
    vscode.l10n.t(
      '{0} With the next question, the whole conversation is sent to {1}. Content that {2} already received stays there.',
      describeContent(conversation),
      to.kind === 'local' ? to.name : to.baseUrl,
      target.gateway.boundGateway?.name ?? '',
    ),
    move,
  );
  return chosen === move;
}

/** Describes the number of questions and pictures in a sentence. */
function describeContent({ turns }: Conversation): string {
  const pictures = turns.reduce((sum, { question }) => sum + question.images.length, 0);
  const questions =
    turns.length === 1
      ? vscode.l10n.t('It contains one question with its reply')
      : vscode.l10n.t('It contains {0} questions with their replies', turns.length);
  if (pictures === 0) return `${questions}.`;
  return pictures === 1
    ? vscode.l10n.t('{0}, and one picture.', questions)
    : vscode.l10n.t('{0}, and {1} pictures.', questions, pictures);
}

function describeLocation(gateway: Gateway): string {
  return gateway.kind === 'local' ? vscode.l10n.t('on this machine') : gateway.baseUrl;
}
