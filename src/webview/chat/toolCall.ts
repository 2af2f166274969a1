import { truncate } from '../../base/truncate.ts';
import { element, icon, textNodes } from '../markdown/dom.ts';
import { TextFeed } from '../markdown/textFeed.ts';
import { t } from '../words/l10n.ts';
import type { ItemView } from './pagedList.ts';
import type { StreamingToolCall } from './streamingTurn.ts';
import { ToolArguments } from './toolArguments.ts';

/** The longest name that is shown, in UTF-16 units. Providers allow 64. */
const maxNameLength = 200;

/** A tool call as the model wrote it, also while it streams. */
export class ToolCallBox implements ItemView<StreamingToolCall> {
  readonly node = element('div', 'tool-call');
  readonly #name = element('span', 'tool-title');
  readonly #code = element('code');
  readonly #arguments = new TextFeed(() => {
    const view = new ToolArguments();
    this.#code.replaceChildren(view.element);
    return view;
  });

  readonly #isWhole: () => boolean;

  /** @param isWhole whether the model has written all of the call */
  constructor(call: StreamingToolCall, isWhole: () => boolean) {
    this.#isWhole = isWhole;
    const head = element('div', 'tool-name');
    head.append(icon('tools'), this.#name, element('span', 'spacer'), copyButton());
    const pre = element('pre', '', { tabindex: '0', role: 'region', 'aria-label': t('Arguments') });
    pre.append(this.#code);
    this.node.append(head, pre);
    this.show(call);
  }

  show({ name, arguments: text }: StreamingToolCall): void {
    this.#showName(name);
    this.#arguments.show(text, this.#isWhole());
  }

  /** Shows what the model added to the call. */
  append(name: string | undefined, added: string): void {
    if (name !== undefined) this.#showName(name);
    this.#arguments.append(added);
  }

  #showName(name: string): void {
    this.#name.replaceChildren(...toolName(name));
  }
}

/** The name of a tool, as it is shown. */
export function toolName(name: string): readonly Node[] {
  return textNodes(truncate(name, maxNameLength));
}

function copyButton(): HTMLElement {
  const button = element('button', 'icon-button', {
    ...{ type: 'button', title: t('Copy Arguments'), 'aria-label': t('Copy Arguments') },
    'data-action': 'copy-arguments',
  });
  button.append(icon('copy'));
  return button;
}
