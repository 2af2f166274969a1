import { t } from '../words/l10n.ts';
import { element, icon, textNodes } from './dom.ts';
import type { AlertKind } from './syntax/annotations.ts';

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

/** The frame of an alert, with its title. */
export function alertFrame(kind: AlertKind): HTMLElement {
  const frame = element('div', `alert alert-${kind}`, { role: 'note', 'aria-label': alertTitles[kind] });
  const title = element('div', 'alert-title');
  title.append(icon(alertIcons[kind]), alertTitles[kind]);
  frame.append(title);
  return frame;
}

/** The box of a task in a list. It shows, and changes nothing: the list is the model's. */
export function taskBox(done: boolean): HTMLElement {
  return element('span', done ? 'task-box codicon codicon-check' : 'task-box codicon', {
    ...{ role: 'checkbox', 'aria-checked': `${done}`, 'aria-disabled': 'true' },
    'aria-label': t(done ? 'Done' : 'To do'),
  });
}

/** The frame of a footnote, and in it the place for its words. */
export function footnoteFrame(label: string): { readonly frame: HTMLElement; readonly body: HTMLElement } {
  const frame = element('div', 'footnote', {
    ...{ role: 'note', tabindex: '-1', 'aria-label': t('Footnote {0}', label), 'data-label': label },
  });
  const mark = element('span', 'footnote-mark');
  mark.append(...textNodes(label));
  const body = element('div', 'footnote-body');
  const back = element('button', 'icon-button', {
    ...{
      type: 'button',
      title: t('Back to the Text'),
      'aria-label': t('Back to the Text of Footnote {0}', label),
    },
    ...{ 'data-action': 'leave-footnote', 'data-label': label },
  });
  back.append(icon('arrow-up'));
  frame.append(mark, body, back);
  return { frame, body };
}

/** What leads to a footnote. It says the footnote's label until all footnotes are numbered. */
export function footnoteMention(label: string): HTMLElement {
  const raised = element('sup');
  const link = element('a', 'link footnote-mention', {
    ...{ role: 'link', tabindex: '0', 'aria-label': t('Footnote {0}', label) },
    ...{ 'data-action': 'open-footnote', 'data-label': label },
  });
  link.append(...textNodes(label));
  raised.append(link);
  return raised;
}
