import '@vscode/codicons/dist/codicon.css';
import './styles/page.css';
import './styles/chat.css';
import './styles/field.css';
import './styles/form.css';
import './styles/generate.css';
import './styles/markdown.css';
import './styles/reply.css';
import './styles/task.css';
import './chat/chatPage.ts';
import './generate/generatePage.ts';
import './tasks/taskPage.ts';
import { connectHost } from './host.ts';

// The document holds one page: VS Code's side can be taken hold of once.
const channel = document.body.dataset.channel ?? '';
document.querySelector('mg-chat')?.connect(connectHost(channel));
document.querySelector('mg-generate')?.connect(connectHost(channel));
document.querySelector('mg-task')?.connect(connectHost(channel));
