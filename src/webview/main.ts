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
import { connectHost, type Host } from './host.ts';
import { revealFoundText } from './parts/foundText.ts';
import { keepEditingKeys } from './parts/hostKeys.ts';
import { leaveFocusElsewhere } from './parts/pageFocus.ts';

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
