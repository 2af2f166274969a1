import { t } from '../words/l10n.ts';
import { createElement, createTextNodes, createToolButtons, moveInMenu, type ToolButton } from './dom.ts';

/** The longest name of a language that is shown, in UTF-16 units. */
const maxLanguageLength = 40;

/** The maximum length of the text after an opening fence that is used, in UTF-16 units. */
const maxInfoLength = 200;

/** The minimum space between the menu of buttons and the edge of the page, in pixels. */
const menuMargin = 4;

const shells = new Set([
  'bash',
  'sh',
  'zsh',
  'fish',
  'shell',
  'console',
  'shellsession',
  'terminal',
  'powershell',
  'pwsh',
  'ps1',
  'bat',
  'batch',
  'cmd',
  'dos',
]);

const copyButton: ToolButton = { icon: 'copy', label: t('Copy Code'), action: 'copy-code' };

/** The class of the buttons that move into a menu if the block is narrow. */
const wideOnly = 'wide-only';
const otherButtons: readonly ToolButton[] = [
  { icon: 'new-file', label: t('Insert into New File'), action: 'new-file', className: wideOnly },
  { icon: 'git-compare', label: t('Apply to File…'), action: 'apply-code', className: wideOnly },
  { icon: 'word-wrap', label: t('Toggle Word Wrap'), action: 'wrap-code', className: wideOnly },
  { icon: 'ellipsis', label: t('More Actions…'), action: 'open-code-menu', className: 'code-more' },
];
const insertButton: ToolButton = { icon: 'insert', label: t('Insert at Cursor'), action: 'insert-code' };
const terminalButton: ToolButton = {
  icon: 'terminal',
  label: t('Insert into Terminal'),
  action: 'put-into-terminal',
  className: wideOnly,
};

const shellButtons = createToolButtons([terminalButton, insertButton, ...otherButtons, copyButton]);
const codeButtons = createToolButtons([insertButton, ...otherButtons, copyButton]);

/** Creates the frame of a code block, with its language and buttons, and the element for its code. */
export function createCodeFrame(info: string): { frame: HTMLElement; code: HTMLElement } {
  const language = readLanguage(info).slice(0, maxLanguageLength);
  const frame = createElement('div', language ? 'code-block' : 'code-block unlabelled', {
    'data-info': info.slice(0, maxInfoLength),
  });
  const header = createElement('div', 'code-header');
  if (language) {
    const label = createElement('span', 'code-language');
    label.append(...createTextNodes(language));
    header.append(label);
  }
  const tools = createElement('span', 'code-tools');
  const buttons = shells.has(language.toLowerCase()) ? shellButtons : codeButtons;
  tools.append(...buttons.map((button) => button.cloneNode(true)));
  header.append(tools);
  const name = language ? t('Code in {0}', language) : t('Code');
  const pre = createElement('pre', '', { tabindex: '0', role: 'region', 'aria-label': name });
  const code = createElement('code');
  pre.append(code);
  frame.append(header, pre);
  return { frame, code };
}

/** Returns the first word after an opening fence. */
export function readLanguage(info: string): string {
  return /^\S*/.exec(info.trim())?.[0] ?? '';
}

/**
 * Opens a menu of the buttons that do not fit into the header of a code block. It is a popover, because a code block
 * clips its content.
 */
export function openCodeMenu(opener: HTMLElement): void {
  const tools = opener.closest('.code-tools')?.querySelectorAll<HTMLElement>('.wide-only') ?? [];
  const menu = createElement('div', 'menu code-menu', {
    role: 'menu',
    'aria-label': opener.title,
    popover: 'auto',
  });
  for (const tool of tools) menu.append(createMenuItem(tool, menu));
  opener.after(menu);
  opener.ariaExpanded = 'true';
  menu.addEventListener('keydown', (event) => handleMenuKey(event, menu));
  menu.addEventListener('toggle', (event) => {
    if (event.newState === 'open') return;
    opener.ariaExpanded = 'false';
    menu.remove();
  });
  menu.showPopover();
  positionMenu(menu, opener);
  menu.querySelector<HTMLElement>('.menu-item')?.focus();
}

function createMenuItem(tool: HTMLElement, menu: HTMLElement): HTMLElement {
  const item = createElement('button', 'menu-item', { type: 'button', role: 'menuitem', tabindex: '-1' });
  item.append(tool.title);
  item.addEventListener('click', () => {
    menu.hidePopover();
    tool.click();
  });
  return item;
}

function positionMenu(menu: HTMLElement, opener: HTMLElement): void {
  const button = opener.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const isLow = button.bottom + height + menuMargin > window.innerHeight;
  menu.style.left = `${Math.max(menuMargin, button.right - width)}px`;
  menu.style.top = `${isLow ? Math.max(menuMargin, button.top - height) : button.bottom}px`;
}

function handleMenuKey(event: KeyboardEvent, menu: HTMLElement): void {
  if (moveInMenu(event, [...menu.querySelectorAll<HTMLElement>('.menu-item')]) || event.key !== 'Tab') return;
  menu.hidePopover();
  event.preventDefault();
}
