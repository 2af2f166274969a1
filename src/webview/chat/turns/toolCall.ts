import { truncate } from '../../../base/truncate.ts';
import { createElement, createIcon, createTextNodes, createToolButtons } from '../../markdown/dom.ts';
import { PlainTextView } from '../../markdown/plainTextView.ts';
import { type StreamingTextView, TextFeed } from '../../markdown/streaming/streamingText.ts';
import { createJsonNodes } from '../../parts/jsonNodes.ts';
import type { ItemView } from '../../parts/pagedList.ts';
import { t } from '../../words/l10n.ts';
import { indentJson } from './indentedJson.ts';
import type { StreamingToolCall } from './streamingTurn.ts';

/** The longest name that is shown, in UTF-16 units. Providers allow 64. */
const maxNameLength = 200;

/** A box with a tool call as the model wrote it, also while it streams. */
export class ToolCallBox implements ItemView<StreamingToolCall> {
  readonly node = createElement('div', 'tool-call');
  readonly #name = createElement('span', 'tool-title');
  readonly #code = createElement('code');
  readonly #arguments = new TextFeed(() => {
    const view = new ToolArguments();
    this.#code.replaceChildren(view.element);
    return view;
  });

  readonly #isComplete: () => boolean;

  /** @param isComplete returns whether the call is complete */
  constructor(call: StreamingToolCall, isComplete: () => boolean) {
    this.#isComplete = isComplete;
    const tools = createToolButtons([{ icon: 'copy', label: t('Copy Arguments'), action: 'copy-arguments' }]);
    const head = createElement('div', 'tool-name');
    head.append(createIcon('tools'), this.#name, createElement('span', 'spacer'), ...tools);
    const pre = createElement('pre', '', { tabindex: '0', role: 'region', 'aria-label': t('Arguments') });
    pre.append(this.#code);
    this.node.append(head, pre);
    this.show(call);
  }

  show({ name, arguments: text }: StreamingToolCall): void {
    this.#showName(name);
    this.#arguments.show(text, this.#isComplete());
  }

  /** Shows an addition to the call. */
  append(name: string | undefined, added: string): void {
    if (name !== undefined) this.#showName(name);
    this.#arguments.append(added);
  }

  #showName(name: string): void {
    this.#name.replaceChildren(...createToolNameNodes(name));
  }
}

/** Creates the nodes that show the name of a tool, truncated. */
export function createToolNameNodes(name: string): readonly Node[] {
  return createTextNodes(truncate(name, maxNameLength));
}

/** The arguments of a tool call: plain text as they arrive, then indented, coloured JSON. */
export class ToolArguments implements StreamingTextView {
  readonly element = createElement('div');
  readonly #plain = new PlainTextView();
  #text = '';
  #isFinished = false;
  /** Undefined until all text has arrived. `json` is undefined if the text is shown as it arrived. */
  #indented: { readonly json: string | undefined } | undefined;
  #isPainted = false;

  constructor() {
    this.element.append(this.#plain.element);
  }

  append(text: string): void {
    this.#text += text;
    this.#plain.append(text);
  }

  finish(): void {
    this.#isFinished = true;
  }

  paint(): boolean {
    if (!this.#isFinished) return this.#plain.paint();
    this.#indented ??= { json: indentJson(this.#text) };
    const { json } = this.#indented;
    if (json === undefined) return this.#plain.paint();
    if (!this.#isPainted) this.element.replaceChildren(...createJsonNodes(json));
    this.#isPainted = true;
    return false;
  }
}
