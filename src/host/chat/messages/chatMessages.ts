import * as vscode from 'vscode';
import type { FromChatPage, ToChatPage } from '../../../protocol/chatPage.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import { confirm } from '../../kit/display/notify.ts';
import { explanationWords } from '../../kit/explanationWords.ts';
import { runCommand } from '../../kit/manifest/contributions.ts';
import type { Unnumbered, WithoutReady } from '../../kit/pages/page.ts';
import type { AnswerChecks } from '../answerSchema/answerChecks.ts';
import type { ChatSession } from '../chatSession.ts';
import type { Completions } from '../completion/completions.ts';
import type { ContextTools } from '../context/contextTools.ts';
import type { ChatParametersPage } from '../parameters/chatParametersPage.ts';
import { placeOfField } from '../parameters/fieldPlace.ts';
import type { PromptForm } from '../prompts/promptForm.ts';
import type { ReplyTools } from '../replies/replyTools.ts';
import { handleBranch } from './branches.ts';
import { handleCopy } from './copying.ts';
import { handleMessageBox } from './messageBox.ts';
import { act, failureShown } from './offeredAction.ts';

type PreviewMessage = Extract<FromChatPage, { type: 'preview-request' }>;

/** Whom the messages of a chat's page are for. */
interface Receivers {
  readonly session: ChatSession;
  readonly parameters: ChatParametersPage;
  readonly completions: Completions;
  readonly checks: AnswerChecks;
  readonly prompts: PromptForm;
  readonly context: ContextTools;
  readonly replies: ReplyTools;
  /** Answers the page. */
  readonly post: (message: Unnumbered<ToChatPage>) => void;
  readonly focusMessageBox: () => void;
  /** Opens a chat in a tab of its own. */
  readonly open: (session: ChatSession) => Promise<unknown>;
}

/** What users do on the page of one chat: each message goes where its subject is. */
export class ChatMessages {
  readonly #to: Receivers;

  constructor(receivers: Receivers) {
    this.#to = receivers;
  }

  async handle(message: WithoutReady<FromChatPage>): Promise<void> {
    const { session } = this.#to;
    switch (message.type) {
      case 'send':
      case 'stop':
      case 'draft':
      case 'change-draft':
      case 'edit-queued':
      case 'remove-queued':
      case 'attach-piece':
      case 'detach':
        return handleMessageBox(message, session);
      case 'edit-question':
      case 'edit-answer':
      case 'show-branch':
      case 'delete-message':
      case 'undo-delete':
      case 'dismiss-deleted':
      case 'fork':
        return handleBranch(message, session, this.#to.open);
      case 'go-on-with':
        session.comparing.goOnWith(message.turnId);
        return this.#to.focusMessageBox();
      case 'close-column':
        return session.comparing.close(message.turnId);
      case 'compare-branches':
        return session.comparing.resume(message.turnId);
      case 'compare-answer':
        return void (await runCommand('chat.compareAnswer', message.turnId));
      case 'open-differences':
        return void (await runCommand('chat.openDifferences', message.turnId));
      case 'copy-reply':
      case 'copy-code':
      case 'copy-request-id':
      case 'copy-gateway-request-id':
        return handleCopy(message, session.conversation);
      case 'open-parameters':
        return this.#showParameters();
      case 'set-parameters':
      case 'set-common-parameter':
      case 'set-system-prompt':
      case 'parameters-action':
        return this.#to.parameters.change(message);
      case 'preview-request':
        return this.#showRequest(message);
      case 'copy-request':
        return vscode.env.clipboard.writeText(
          requestJson((await session.preview(message.text, message.nth))?.body),
        );
      case 'add-context':
      case 'remove-context':
      case 'write-context':
      case 'open-context':
      case 'drop-files':
      case 'drop-text':
      case 'open-asked-file':
      case 'apply-code':
        return this.#to.context.handle(message, session);
      case 'complete':
      case 'accept-completion':
        return this.#to.completions.handle(message);
      case 'fill-prompt':
      case 'close-prompt':
        return this.#to.prompts.handle(message);
      case 'open-fault':
        return this.#to.checks.open(message.turnId, message.index);
      case 'open-link':
        return openLink(message.url);
      case 'find-files':
        return this.#showFiles(message.references);
      case 'read-picture':
        return this.#showPicture(message.hash);
      case 'wrap-code':
        return this.#to.replies.setWrapsCode(message.on);
      case 'insert-code':
      case 'new-file':
      case 'put-into-terminal':
      case 'open-file':
        return this.#to.replies.handle(message);
      case 'action':
        if (message.action === 'show-field') return this.#showField(message.turnId);
        return act(message.action, session, message.turnId);
      case 'run':
        return void (await runCommand(message.command));
      default:
        return message satisfies never;
    }
  }

  async #showParameters(): Promise<void> {
    this.#to.post({ type: 'parameters', ...(await this.#to.parameters.view()) });
  }

  /** Leads to the field that the gateway objects to. */
  async #showField(turnId: string | undefined): Promise<void> {
    const { session, parameters, post, focusMessageBox } = this.#to;
    const { field } = failureShown(session, turnId) ?? {};
    if (field === undefined) return;
    const place = placeOfField(textFormat(session.target.format), field);
    if (place === 'message-box') return focusMessageBox();
    post({ type: 'parameters', ...(await parameters.view()), field: place });
  }

  async #showRequest({ text, nth }: PreviewMessage): Promise<void> {
    const { session } = this.#to;
    const { models } = session;
    const shown = nth < models.length ? nth : 0;
    const { body, omitted = [] } = (await session.preview(text, shown)) ?? {};
    const words = omitted.map(explanationWords);
    this.#to.post({ type: 'request', models, nth: shown, json: requestJson(body), omitted: words });
  }

  async #showPicture(hash: string): Promise<void> {
    const data = await this.#to.session.picture(hash);
    this.#to.post({ type: 'picture', hash, ...(data !== undefined && { data }) });
  }

  async #showFiles(references: readonly string[]): Promise<void> {
    this.#to.post({ type: 'files', existing: await this.#to.replies.existing(references) });
  }
}

function requestJson(body: object = {}): string {
  return JSON.stringify(body, null, 2);
}

/**
 * Opens a link of a reply after the user has seen its whole address. Only web and mail links open (T9, T11).
 */
async function openLink(url: string): Promise<void> {
  if (!URL.canParse(url) || !['http:', 'https:', 'mailto:'].includes(new URL(url).protocol)) return;
  const open = vscode.l10n.t('Open');
  const chosen = await confirm(
    vscode.l10n.t('Open this address from a model’s reply?'),
    new URL(url).href,
    open,
  );
  if (chosen === open) await vscode.env.openExternal(vscode.Uri.parse(url, true));
}
