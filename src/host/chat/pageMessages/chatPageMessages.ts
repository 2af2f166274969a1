import * as vscode from 'vscode';
import { beginsAsJson } from '../../../base/json.ts';
import { requiresJson } from '../../../conversations/conversation/chatParameters.ts';
import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import { replyText } from '../../../conversations/conversation/reply.ts';
import type { FromChatPage, ToChatPage } from '../../../protocol/chatPage.ts';
import type { BranchMessage, CopyMessage } from '../../../protocol/chatTurn.ts';
import type { ReplyAction } from '../../../protocol/pageMessage.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import type { GatewayError } from '../../../wire/failures/gatewayError.ts';
import { failureMessage } from '../../connection/failureMessage.ts';
import { removeHidden } from '../../kit/display/plainText.ts';
import { describeExplanation } from '../../kit/explanationWords.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import { runAction } from '../../kit/noticeActions.ts';
import type { Unnumbered, WithoutReady } from '../../kit/pages/page.ts';
import type { Completions } from '../completion/completions.ts';
import { createDraft } from '../context/unsentInput.ts';
import type { ChatParametersPage } from '../parameters/chatParametersPage.ts';
import { locateField } from '../parameters/parameterForm.ts';
import type { PromptForm } from '../prompts/promptForm.ts';
import type { ReplyActions } from '../replies/replyActions.ts';
import type { ReplyChecks } from '../responseSchema/replyChecks.ts';
import type { ChatSession } from '../session/chatSession.ts';
import { deleteMessage, undoDelete } from '../session/deleteMessage.ts';
import type { ContextMessages } from './contextMessages.ts';
import { handleMessageBoxMessage } from './messageBoxMessages.ts';

type PreviewMessage = Extract<FromChatPage, { type: 'preview-request' }>;

/** The receivers of a chat page's messages. */
interface Receivers {
  readonly session: ChatSession;
  readonly parameters: ChatParametersPage;
  readonly completions: Completions;
  readonly checks: ReplyChecks;
  readonly prompts: PromptForm;
  readonly context: ContextMessages;
  readonly replies: ReplyActions;
  /** Sends a message to the page. */
  readonly post: (message: Unnumbered<ToChatPage>) => void;
  readonly focusMessageBox: () => void;
  /** Opens a chat in its own tab. */
  readonly open: (session: ChatSession) => Promise<unknown>;
}

/** Dispatches the messages of a chat's page. */
export class ChatPageMessages {
  readonly #receivers: Receivers;

  constructor(receivers: Receivers) {
    this.#receivers = receivers;
  }

  async handle(message: WithoutReady<FromChatPage>): Promise<void> {
    const { session } = this.#receivers;
    switch (message.type) {
      case 'send':
      case 'stop':
      case 'draft':
      case 'change-draft':
      case 'edit-queued':
      case 'remove-queued':
      case 'attach-piece':
      case 'detach':
        return handleMessageBoxMessage(message, session);
      case 'edit-question':
      case 'edit-reply':
      case 'show-branch':
      case 'delete-message':
      case 'undo-delete':
      case 'dismiss-deleted':
      case 'fork':
        return handleBranchMessage(message, session, this.#receivers.open);
      case 'continue-with-reply':
        session.comparisonActions.continueWith(message.turnId);
        return this.#receivers.focusMessageBox();
      case 'close-column':
        return session.comparisonActions.close(message.turnId);
      case 'compare-branches':
        return session.comparisonActions.resume(message.turnId);
      case 'compare-reply':
        return runCommand('chat.compareReply', message.turnId);
      case 'open-differences':
        return runCommand('chat.openDifferences', message.turnId);
      case 'copy-reply':
      case 'copy-code':
      case 'copy-request-id':
      case 'copy-gateway-request-id':
        return handleCopyMessage(message, session.conversation);
      case 'open-parameters':
        return this.#showParameters();
      case 'set-parameters':
      case 'set-common-parameter':
      case 'set-system-prompt':
      case 'parameters-action':
        return this.#receivers.parameters.change(message);
      case 'preview-request':
        return this.#showRequest(message);
      case 'copy-request':
        return vscode.env.clipboard.writeText(
          formatRequest((await session.previewRequest(message.text, message.nth))?.body),
        );
      case 'add-context':
      case 'remove-context':
      case 'insert-context':
      case 'open-context':
      case 'drop-files':
      case 'drop-text':
      case 'open-sent-file':
      case 'apply-code':
        return this.#receivers.context.handle(message, session);
      case 'complete':
      case 'accept-completion':
        return this.#receivers.completions.handle(message);
      case 'fill-prompt':
      case 'close-prompt':
        return this.#receivers.prompts.handle(message);
      case 'open-fault':
        return this.#receivers.checks.openFault(message.turnId, message.index);
      case 'find-files':
        return this.#showFiles(message.references);
      case 'read-picture':
        return this.#showPicture(message.hash);
      case 'wrap-code':
        return this.#receivers.replies.setWrapsCode(message.isOn);
      case 'insert-code':
      case 'new-file':
      case 'put-into-terminal':
      case 'open-file':
      case 'open-link':
        return this.#receivers.replies.handle(message);
      case 'action':
        if (message.action === 'show-field') return this.#showField(message.turnId);
        return performNoticeAction(message.action, session, message.turnId);
      case 'run':
        return runCommand(message.command);
      default:
        return message satisfies never;
    }
  }

  async #showParameters(): Promise<void> {
    this.#receivers.post({ type: 'parameters', ...(await this.#receivers.parameters.createView()) });
  }

  /** Shows the field that the gateway rejected. */
  async #showField(turnId: string | undefined): Promise<void> {
    const { session, parameters, post, focusMessageBox } = this.#receivers;
    const { field } = findShownFailure(session, turnId) ?? {};
    if (field === undefined) return;
    const location = locateField(textFormat(session.target.format), field);
    if (location === 'message-box') return focusMessageBox();
    post({ type: 'parameters', ...(await parameters.createView()), field: location });
  }

  async #showRequest({ text, nth }: PreviewMessage): Promise<void> {
    const { session } = this.#receivers;
    const { models } = session;
    const index = nth < models.length ? nth : 0;
    const { body, omitted = [] } = (await session.previewRequest(text, index)) ?? {};
    this.#receivers.post({
      type: 'request',
      models,
      nth: index,
      json: formatRequest(body),
      omitted: omitted.map(describeExplanation),
    });
  }

  async #showPicture(hash: string): Promise<void> {
    const data = await this.#receivers.session.readPicture(hash);
    this.#receivers.post({ type: 'picture', hash, ...(data !== undefined && { data }) });
  }

  async #showFiles(references: readonly string[]): Promise<void> {
    this.#receivers.post({
      type: 'files',
      existing: await this.#receivers.replies.findExistingReferences(references),
    });
  }
}

function formatRequest(body: object = {}): string {
  return JSON.stringify(body, null, 2);
}

/**
 * Performs an action on the branches of a chat.
 *
 * @param open opens another chat
 */
export async function handleBranchMessage(
  message: BranchMessage,
  session: ChatSession,
  open: (session: ChatSession) => Promise<unknown>,
): Promise<void> {
  switch (message.type) {
    case 'edit-question':
      return session.editQuestion(message.turnId, message.text, message.pasted);
    case 'edit-reply':
      return session.editReply(message.turnId, message.text);
    case 'show-branch':
      return session.show(message.messageId);
    case 'delete-message': {
      const turn = session.conversation.turn(message.turnId);
      if (turn) deleteMessage(session, message.of === 'question' ? turn.questionId : turn.firstReplyId);
      return;
    }
    case 'undo-delete':
      return undoDelete(session);
    case 'dismiss-deleted':
      return session.dismissDeleted();
    case 'fork': {
      const fork = await session.forkAfter(message.turnId);
      if (fork) await open(fork);
      return;
    }
    default:
      return message satisfies never;
  }
}

/** Copies a text of the conversation to the clipboard. If the text is missing, the clipboard is not changed. */
export async function handleCopyMessage(message: CopyMessage, conversation: Conversation): Promise<void> {
  const text = readCopiedText(message, conversation);
  if (text) await vscode.env.clipboard.writeText(text);
}

/** Reads the text to copy; undefined if it does not exist. */
function readCopiedText(message: CopyMessage, conversation: Conversation): string | undefined {
  if (message.type === 'copy-code') return message.text;
  const turn = conversation.turn(message.turnId);
  switch (message.type) {
    case 'copy-reply': {
      const reply = turn?.replies[message.choice];
      if (!turn || !reply) return undefined;
      const text = replyText(reply);
      // Requested JSON is data, so hidden characters are copied too.
      const isData = requiresJson(turn.question) && beginsAsJson(text);
      return isData ? text : removeHidden(text);
    }
    case 'copy-request-id':
      return turn?.result?.requestId;
    case 'copy-gateway-request-id':
      return turn?.result?.gatewayRequestId;
    default:
      return message satisfies never;
  }
}

/** Performs the action of a button in a notice under the reply of a turn, or in the notice about the chat's target. */
async function performNoticeAction(
  action: ReplyAction,
  session: ChatSession,
  turnId: string | undefined,
): Promise<void> {
  const { target } = session;
  switch (action) {
    case 'again':
      return session.resend(turnId);
    case 'edit':
      return putBackQuestion(session, turnId);
    case 'ask-one-model':
      return target.compare([]);
    case 'continue':
      return session.continueReply(turnId);
    case 'set-credential':
      return runCommand('setCredential', target.gateway.connection?.gateway.name);
    case 'change-address':
      return runCommand('changeAddress', target.gateway.connection?.gateway.name);
    case 'check-connection':
      return runCommand('checkConnection', target.gateway.connection?.gateway.name);
    case 'open-request':
    case 'set-upstream-key': {
      const command = action === 'open-request' ? 'requests.openRequest' : 'localGateway.setKey';
      return runCommand(command, { requestId: findShownFailure(session, turnId)?.requestId });
    }
    case 'copy-details':
      return copyDetails(session, turnId);
    case 'open-help': {
      const error = findShownFailure(session, turnId);
      return runCommand('openHelp', error && failureMessage(error).helpPage);
    }
    case 'refresh-models':
      await target.gateway.connection?.refresh();
      break;
    default:
      await runAction(action);
  }
}

/** Finds the failure that a notice shows: the failure of the turn's reply; without a turn, of the gateway. */
function findShownFailure(
  { conversation, target }: ChatSession,
  turnId: string | undefined,
): GatewayError | undefined {
  if (turnId === undefined) return target.gateway.connection?.state.error;
  const outcome = conversation.turn(turnId)?.result?.outcome;
  return outcome && 'error' in outcome ? outcome.error : undefined;
}

async function copyDetails(session: ChatSession, turnId: string | undefined): Promise<void> {
  const error = findShownFailure(session, turnId);
  if (error) await vscode.env.clipboard.writeText(failureMessage(error).details);
}

/** Puts the question of a turn back into the message box. */
function putBackQuestion({ conversation, unsent }: ChatSession, turnId: string | undefined): void {
  const turn = turnId === undefined ? undefined : conversation.turn(turnId);
  if (turn) unsent.putBack(createDraft(turn.question));
}
