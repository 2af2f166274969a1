import '@vscode/codicons/dist/codicon.css';
import './styles/chat.css';
import './styles/form.css';
import './styles/markdown.css';
import './styles/reply.css';
import './chat/chatPage.ts';
import { connectHost } from './host.ts';

const page = document.querySelector('mg-chat');
page?.connect(connectHost(document.body.dataset.channel ?? ''));
