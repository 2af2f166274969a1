import '@vscode/codicons/dist/codicon.css';
import './styles/page.css';
import './styles/header.css';
import './styles/replyAnnotations.css';
import './styles/chat.css';
import './styles/chips.css';
import './styles/columns.css';
import './styles/code.css';
import './styles/completion.css';
import './styles/composer.css';
import './styles/field.css';
import './styles/find.css';
import './styles/parametersSheet.css';
import './styles/generate.css';
import './styles/markdown.css';
import './styles/maths.css';
import './styles/menu.css';
import './styles/promptForm.css';
import './styles/schemaCheck.css';
import './styles/systemPrompt.css';
import './styles/task.css';
import './chat/chatPage.ts';
import './generate/generatePage.ts';
import './tasks/taskPage.ts';
import { protectEditingKeys } from './parts/hostKeys.ts';
import { connectHost, type Host, preventFocusStealing } from './parts/pageHost.ts';

/** The element of a page: the only content of its document. */
interface PageElement extends Element {
  connect(host: Host<never, unknown, unknown>): void;
}

revealFoundText();
protectEditingKeys();
preventFocusStealing();

// The document contains one page, and the VS Code API can be acquired only once.
for (const element of document.body.children) {
  if (isPage(element)) element.connect(connectHost(document.body.dataset.channel ?? ''));
}

function isPage(element: Element): element is PageElement {
  return 'connect' in element;
}

/**
 * Scrolls to a match of VS Code's find widget. In a browser the widget only selects the match, and keeps the
 * focus. A selection of the reader does not scroll, because the page then has the focus.
 */
function revealFoundText(): void {
  document.addEventListener('selectionchange', () => {
    const selection = document.getSelection();
    if (document.hasFocus() || !selection || selection.isCollapsed) return;
    revealMatch(selection.getRangeAt(0));
  });
}

/** Scrolls a match to the middle of the view, unless it is in the view. */
function revealMatch(match: Range): void {
  const scroller = findScroller(match.startContainer.parentElement);
  if (!scroller) return;
  const { top, bottom } = match.getBoundingClientRect();
  const view = scroller.getBoundingClientRect();
  if (top >= view.top && bottom <= view.bottom) return;
  scroller.scrollTop += top - view.top - view.height / 2;
}

/** Finds the closest element at or around `from` that scrolls vertically. */
function findScroller(from: Element | null): Element | undefined {
  for (let box = from; box; box = box.parentElement) {
    const { overflowY } = getComputedStyle(box);
    if ((overflowY === 'auto' || overflowY === 'scroll') && box.scrollHeight > box.clientHeight) return box;
  }
  return undefined;
}
