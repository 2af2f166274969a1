import { element } from './dom.ts';

/** Space between the menu and the edge of the page, in pixels. */
const margin = 4;

/**
 * Opens a menu of the buttons that have no room in the header of a block of code. It stands above the page, because
 * a block cuts off what is larger than itself.
 */
export function openCodeMenu(opener: HTMLElement): void {
  const tools = opener.closest('.code-tools')?.querySelectorAll<HTMLElement>('.wide-only') ?? [];
  const menu = element('div', 'menu code-menu', {
    role: 'menu',
    'aria-label': opener.title,
    popover: 'auto',
  });
  for (const tool of tools) menu.append(itemFor(tool, menu));
  opener.after(menu);
  opener.ariaExpanded = 'true';
  menu.addEventListener('keydown', (event) => onKey(event, menu));
  menu.addEventListener('toggle', (event) => {
    if (event.newState === 'open') return;
    opener.ariaExpanded = 'false';
    menu.remove();
  });
  menu.showPopover();
  place(menu, opener);
  focusItem(menu, 0);
}

function itemFor(tool: HTMLElement, menu: HTMLElement): HTMLElement {
  const item = element('button', 'menu-item', { type: 'button', role: 'menuitem', tabindex: '-1' });
  item.append(tool.title);
  item.addEventListener('click', () => {
    menu.hidePopover();
    tool.click();
  });
  return item;
}

function place(menu: HTMLElement, opener: HTMLElement): void {
  const button = opener.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const isLow = button.bottom + height + margin > window.innerHeight;
  menu.style.left = `${Math.max(margin, button.right - width)}px`;
  menu.style.top = `${isLow ? Math.max(margin, button.top - height) : button.bottom}px`;
}

function onKey(event: KeyboardEvent, menu: HTMLElement): void {
  const items = [...menu.children];
  const at = items.indexOf(document.activeElement ?? menu);
  if (event.key === 'ArrowDown') focusItem(menu, at + 1);
  else if (event.key === 'ArrowUp') focusItem(menu, at - 1);
  else if (event.key === 'Home') focusItem(menu, 0);
  else if (event.key === 'End') focusItem(menu, -1);
  else if (event.key === 'Tab') menu.hidePopover();
  else return;
  event.preventDefault();
}

/** Focuses an item. Wraps around at both ends. */
function focusItem(menu: HTMLElement, index: number): void {
  const items = [...menu.querySelectorAll<HTMLElement>('.menu-item')];
  items.at(index % items.length)?.focus();
}
