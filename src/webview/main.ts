import '@vscode/codicons/dist/codicon.css';
import './styles/page.css';
import './styles/header.css';
import './styles/annotations.css';
import './styles/chat.css';
import './styles/turnList.css';
import './styles/chips.css';
import './styles/columns.css';
import './styles/code.css';
import './styles/completion.css';
import './styles/composer.css';
import './styles/field.css';
import './styles/find.css';
import './styles/form.css';
import './styles/besideSheet.css';
import './styles/generate.css';
import './styles/markdown.css';
import './styles/maths.css';
import './styles/menu.css';
import './styles/promptForm.css';
import './styles/quote.css';
import './styles/reply.css';
import './styles/schemaCheck.css';
import './styles/systemPrompt.css';
import './styles/task.css';
import './chat/chatPage.ts';
import './generate/generatePage.ts';
import './tasks/taskPage.ts';
import { connectHost, type Host, leaveFocusElsewhere } from './parts/host.ts';
import { keepEditingKeys } from './parts/hostKeys.ts';

/** The element that a document of the host consists of. */
interface PageElement extends Element {
  connect(host: Host<never, unknown, unknown>): void;
}

revealFoundText();
keepEditingKeys();
leaveFocusElsewhere();

// The document holds one page: VS Code's side can be taken hold of once.
for (const element of document.body.children) {
  if (isPage(element)) element.connect(connectHost(document.body.dataset.channel ?? ''));
}

function isPage(element: Element): element is PageElement {
  return 'connect' in element;
}

/**
 * Scrolls to a match of VS Code's find widget. In a browser the widget only selects it, while the focus stays in
 * the widget. A selection that a reader makes is left where it is.
 */
function revealFoundText(): void {
  document.addEventListener('selectionchange', () => {
    const selection = document.getSelection();
    if (document.hasFocus() || !selection || selection.isCollapsed) return;
    reveal(selection.getRangeAt(0));
  });
}

function reveal(found: Range): void {
  const scroller = scrollerOf(found.startContainer.parentElement);
  if (!scroller) return;
  const { top, bottom } = found.getBoundingClientRect();
  const view = scroller.getBoundingClientRect();
  if (top >= view.top && bottom <= view.bottom) return;
  scroller.scrollTop += top - view.top - view.height / 2;
}

/** The box around an element that scrolls up and down. */
function scrollerOf(from: Element | null): Element | undefined {
  for (let box = from; box; box = box.parentElement) {
    const { overflowY } = getComputedStyle(box);
    if ((overflowY === 'auto' || overflowY === 'scroll') && box.scrollHeight > box.clientHeight) return box;
  }
  return undefined;
}
