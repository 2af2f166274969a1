import { html, nothing, type TemplateResult } from 'lit';
import type { ChatFields, FromChatPage, ToChatPage } from '../../protocol/chatPage.ts';
import type { ParameterValues } from '../../protocol/pageMessage.ts';
import type { ParametersAction, ParametersState, ParametersView } from '../../protocol/parameters.ts';
import type { CommonChange, CommonForm, ParametersElement } from '../form/parametersElement.ts';
import '../form/parametersElement.ts';
import type { LightElement } from '../parts/lightElement.ts';

type Request = Extract<ToChatPage, { type: 'request' }>;
type SheetMessage = Extract<ToChatPage, { type: 'parameters' | 'request' }>;
type ShownParameters = Omit<Extract<ToChatPage, { type: 'parameters' }>, 'type'>;
type ShownFields = Pick<ChatFields, 'target' | 'parameters'>;
type CommonName = Extract<FromChatPage, { type: 'set-common-parameter' }>['name'];

/** The sheet with the parameters of a chat. The host sends its content when it opens. */
export class ParametersSheet {
  readonly #page: LightElement;
  readonly #post: (message: FromChatPage) => void;
  readonly #getDraft: () => string;
  /** Undefined while the sheet is closed. */
  #view: ShownParameters | undefined;
  #request: Request | undefined;

  /** @param getDraft returns the text in the message box, for the preview of the request */
  constructor(page: LightElement, post: (message: FromChatPage) => void, getDraft: () => string) {
    this.#page = page;
    this.#post = post;
    this.#getDraft = getDraft;
  }

  get isOpen(): boolean {
    return this.#view !== undefined;
  }

  toggle(): void {
    if (this.isOpen) this.#setView(undefined);
    else this.#post({ type: 'open-parameters' });
  }

  receive(message: SheetMessage): void {
    if (message.type === 'parameters') this.#view = message;
    else this.#request = message;
    this.#page.requestUpdate();
  }

  /** Requests the parameters again if the sheet is open and its format, model or parameters changed elsewhere. */
  refresh(before: ShownFields, now: ShownFields): void {
    const isSame =
      before.target.format === now.target.format &&
      before.target.model === now.target.model &&
      before.parameters.externalChanges === now.parameters.externalChanges;
    if (this.isOpen && !isSame) this.#post({ type: 'open-parameters' });
  }

  /** Requests the current preview again if the request tab is open. */
  refreshRequest(): void {
    if (this.#page.querySelector<ParametersElement>('mg-parameters')?.tab === 'request')
      this.#requestPreview();
  }

  render(state: ParametersState | undefined): TemplateResult | typeof nothing {
    return this.#view && state ? this.#renderSheet(this.#view, state) : nothing;
  }

  #renderSheet(view: ShownParameters, state: ParametersState): TemplateResult {
    return html`
      <mg-parameters
        .schema=${view.schema}
        .values=${view.values}
        .common=${createCommonForm(view, state)}
        .requestJson=${this.#request?.json ?? ''}
        .omitted=${this.#request?.omitted ?? []}
        .models=${this.#request?.models ?? []}
        .nth=${this.#request?.nth ?? 0}
        .fieldToReveal=${view.field}
        @change=${({ detail }: CustomEvent<ParameterValues>) => this.#changeValues({ ...view, values: detail })}
        @common-change=${({ detail }: CustomEvent<CommonChange>) => this.#changeCommon(detail)}
        @tool=${({ detail }: CustomEvent<ParametersAction>) => this.#post({ type: 'parameters-action', action: detail })}
        @preview=${({ detail }: CustomEvent<number>) => this.#requestPreview(detail)}
        @copy-request=${() => this.#post({ type: 'copy-request', text: this.#getDraft(), nth: this.#request?.nth ?? 0 })}
        @close=${() => this.#setView(undefined)}
      ></mg-parameters>
    `;
  }

  /** Also passes the values back to the form, which would otherwise replace unfinished input with older values. */
  #changeValues(view: ShownParameters): void {
    this.#setView(view);
    this.#post({ type: 'set-parameters', values: view.values });
  }

  /** The host validates the name, like all messages of the page. */
  #changeCommon({ name, value }: CommonChange): void {
    this.#post({ type: 'set-common-parameter', name: name as CommonName, value });
  }

  /** @param nth the index of the model whose request is shown */
  #requestPreview(nth = this.#request?.nth ?? 0): void {
    this.#post({ type: 'preview-request', text: this.#getDraft(), nth });
  }

  #setView(view: ShownParameters | undefined): void {
    this.#view = view;
    this.#page.requestUpdate();
  }
}

/** Whether a message may change the request of the next question. */
export function mayChangeRequest(message: ToChatPage): boolean {
  if (message.type !== 'state' || !message.isPatch) return message.type === 'state';
  const { target, parameters, attachments, context, path, changed = [] } = message.state;
  const isChanged = [target, parameters, attachments, context, path].some((field) => field !== undefined);
  return isChanged || changed.some(({ state }) => state === 'done');
}

function createCommonForm(view: ParametersView, { defaults, wasReset }: ParametersState): CommonForm {
  const { commonSchema, common, unused, model, format } = view;
  return { schema: commonSchema, values: common, unused, format, saved: { model, defaults, wasReset } };
}
