import { t } from '../words/l10n.ts';
import { element, textNodes } from './dom.ts';
import { type ToolButton, toolButtons } from './toolButtons.ts';

/** The longest name of a language that is shown, in UTF-16 units. */
export const maxLanguageLength = 40;

/** The longest words after a fence that are looked at, in UTF-16 units. */
const maxInfoLength = 200;

const shells = new Set([
  ...['bash', 'sh', 'zsh', 'fish', 'shell', 'console', 'shellsession', 'terminal'],
  ...['powershell', 'pwsh', 'ps1', 'bat', 'batch', 'cmd', 'dos'],
]);

const copy: ToolButton = { icon: 'copy', label: t('Copy Code'), action: 'copy-code' };

/** What moves into a menu where there is little room. */
const wideOnly = 'wide-only';
const others: readonly ToolButton[] = [
  { icon: 'new-file', label: t('Insert into New File'), action: 'new-file', className: wideOnly },
  { icon: 'git-compare', label: t('Apply to File…'), action: 'apply-code', className: wideOnly },
  { icon: 'word-wrap', label: t('Toggle Word Wrap'), action: 'wrap-code', className: wideOnly },
  { icon: 'ellipsis', label: t('More Actions…'), action: 'open-code-menu', className: 'code-more' },
];
const insert: ToolButton = { icon: 'insert', label: t('Insert at Cursor'), action: 'insert-code' };
const terminal: ToolButton = {
  ...{ icon: 'terminal', label: t('Insert into Terminal'), action: 'put-into-terminal', className: wideOnly },
};

const shellButtons = toolButtons([terminal, insert, ...others, copy]);
const codeButtons = toolButtons([insert, ...others, copy]);

/** The frame of a block of code: its language, its buttons, and the place where the code goes. */
export function codeFrame(info: string): { frame: HTMLElement; code: HTMLElement } {
  const language = languageOf(info).slice(0, maxLanguageLength);
  const frame = element('div', language ? 'code-block' : 'code-block unlabelled', {
    'data-info': info.slice(0, maxInfoLength),
  });
  const header = element('div', 'code-header');
  if (language) {
    const label = element('span', 'code-language');
    label.append(...textNodes(language));
    header.append(label);
  }
  const tools = element('span', 'code-tools');
  const buttons = shells.has(language.toLowerCase()) ? shellButtons : codeButtons;
  tools.append(...buttons.map((button) => button.cloneNode(true)));
  header.append(tools);
  const name = language ? t('Code in {0}', language) : t('Code');
  const pre = element('pre', '', { tabindex: '0', role: 'region', 'aria-label': name });
  const code = element('code');
  pre.append(code);
  frame.append(header, pre);
  return { frame, code };
}

/** The first word after the fence. */
export function languageOf(info: string): string {
  return /^\S*/.exec(info.trim())?.[0] ?? '';
}
