import { t } from '../words/l10n.ts';
import { createElement, createIcon, createTextNodes } from './dom.ts';
import {
  describeFileDestination,
  describeImageSource,
  describeLinkDestination,
  parseOpenableLink,
  readFileLink,
} from './linkTargets.ts';
import { parse, type Token } from './markdownParser.ts';
import type { AlertKind } from './syntax/alertAndTaskSyntax.ts';

const headings = { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6', h6: 'h6' } as const;

/** Creates the element of an opening token, from a fixed list of elements; otherwise a span. */
export function createTokenElement(token: Token): HTMLElement {
  switch (token.tag) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return createElement(headings[token.tag], `heading-${token.tag.slice(1)}`);
    case 'th':
    case 'td':
      return createElement(token.tag, readAlignmentClass(token));
    case 'a':
      return createLinkElement(token);
    case 'p':
    case 'thead':
    case 'tbody':
    case 'tr':
    case 'em':
    case 'strong':
    case 's':
    case 'sub':
    case 'sup':
    case 'kbd':
      return createElement(token.tag);
    default:
      return createElement('span');
  }
}

function readAlignmentClass(token: Token): string {
  const side = /center|right/.exec(String(token.attrGet('style')))?.[0];
  return side ? `align-${side}` : '';
}

/** @param isLoose whether its items have space between them */
export function createListElement(token: Token, isLoose: boolean): HTMLElement {
  const className = isLoose ? 'loose' : '';
  const start = token.attrGet('start');
  if (token.type === 'bullet_list_open') return createElement('ul', className);
  return createElement('ol', className, start === null ? {} : { start: String(start) });
}

/** Creates a link without `href`, so that only the click handler of the page can open it, through the host. */
function createLinkElement(token: Token): HTMLElement {
  const address = String(token.attrGet('href'));
  const url = parseOpenableLink(address)?.href;
  const file = url === undefined ? readFileLink(address) : undefined;
  return createElement('a', 'link', {
    role: 'link',
    tabindex: '0',
    title: url ?? file ?? '',
    'data-action': file === undefined ? 'open-link' : 'open-file',
    // Without `./`, a name and a line look like a scheme, which `sanitize` removes.
    'data-url': url ?? (file?.startsWith('/') ? file : `./${file ?? ''}`),
  });
}

/** Returns the target of a link, as text; undefined if the text of the link already contains it. */
export function describeDestination({
  dataset: { action, url: raw = '' },
  textContent,
}: HTMLElement): string | undefined {
  if (action === 'open-file') return describeFileDestination(raw.replace(/^\.\//, ''), textContent);
  const url = parseOpenableLink(raw);
  return url && describeLinkDestination(url, textContent);
}

/** Creates a chip with the description and the source of an image. Images are never loaded. */
export function createImageChip(token: Token): HTMLElement {
  const source = String(token.attrGet('src'));
  const chip = createElement('span', 'image-chip', { title: t('Image not loaded: {0}', source) });
  const host = createElement('span', 'link-host');
  host.append(...createTextNodes(describeImageSource(source)));
  chip.append(
    createIcon('file-media'),
    ...createTextNodes(joinTexts(token.children ?? []) || t('image')),
    host,
  );
  return chip;
}

/** Returns the text of a line of Markdown, without its markup. */
export function readPlainText(source: string): string {
  return parse(source, {})
    .map(({ tokens }) => joinTexts(tokens))
    .join(' ');
}

function joinTexts(tokens: readonly Token[]): string {
  return tokens.map((token) => (token.children ? joinTexts(token.children) : token.content)).join('');
}

const alertTitles: Readonly<Record<AlertKind, string>> = {
  note: t('Note'),
  tip: t('Tip'),
  important: t('Important'),
  warning: t('Warning'),
  caution: t('Caution'),
};

const alertIcons: Readonly<Record<AlertKind, string>> = {
  note: 'info',
  tip: 'lightbulb',
  important: 'report',
  warning: 'warning',
  caution: 'error',
};

/** Creates the frame of an alert, with its title. */
export function createAlertFrame(kind: AlertKind): HTMLElement {
  const frame = createElement('div', `alert alert-${kind}`, {
    role: 'note',
    'aria-label': alertTitles[kind],
  });
  const title = createElement('div', 'alert-title');
  title.append(createIcon(alertIcons[kind]), alertTitles[kind]);
  frame.append(title);
  return frame;
}

/** Creates the check box of a task in a list. It is read-only, because the list belongs to the model's reply. */
export function createTaskBox(isDone: boolean): HTMLElement {
  return createElement('span', isDone ? 'task-box codicon codicon-check' : 'task-box codicon', {
    role: 'checkbox',
    'aria-checked': `${isDone}`,
    'aria-disabled': 'true',
    'aria-label': t(isDone ? 'Done' : 'To do'),
  });
}
