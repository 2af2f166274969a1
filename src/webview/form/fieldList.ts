import { html, nothing, type TemplateResult } from 'lit';
import { searchWords } from '../../base/searchWords.ts';
import { repeat } from '../parts/repeat.ts';
import { t } from '../words/l10n.ts';
import './fieldElement.ts';
import type { EnteredParameters } from './enteredParameters.ts';
import type { Field } from './formFields.ts';

type Heading = 'common' | 'set' | 'unset' | 'none';

interface FieldListOptions {
  /** The text of the search box. */
  readonly search: string;
  /** The number of values that are sent, without the common parameters. */
  readonly setCount: number;
  /** Names of the common parameters that are set but not sent; undefined for a form without common parameters. */
  readonly unused: readonly string[] | undefined;
}

/** Renders the search box that filters the fields of the list. */
export function renderSearchBox(search: string, onInput: (event: InputEvent) => void): TemplateResult {
  return html`
    <input
      class="box"
      type="text"
      role="searchbox"
      placeholder=${t('Search parameters')}
      aria-label=${t('Search parameters')}
      spellcheck="false"
      autofocus
      .value=${search}
      @input=${onInput}
    />
  `;
}

/** Renders headings and fields in one list, so that a field keeps its input when it moves. */
export function renderFieldList(entered: EnteredParameters, options: FieldListOptions): unknown {
  const { set, unset } = entered.rows;
  const words = searchWords(options.search);
  const rows = ['common', ...entered.commonFields, 'set', ...set, 'unset', ...unset, 'none'] as const;
  return repeat(
    rows,
    (row) => (typeof row === 'string' ? row : `${entered.generation} ${row.path.join('.')}`),
    (row) =>
      typeof row === 'string' ? renderHeading(row, entered, options) : renderField(row, entered, words),
  );
}

function renderHeading(
  heading: Heading,
  entered: EnteredParameters,
  { search, setCount, unused }: FieldListOptions,
): TemplateResult | typeof nothing {
  const words = searchWords(search);
  const isAnyFound = (fields: readonly Field[]) =>
    fields.some((field) => entered.matchesSearch(field, words));
  const { commonFields, rows } = entered;
  switch (heading) {
    case 'common':
      return unused ? renderCommonHeading(unused, isAnyFound(commonFields)) : nothing;
    case 'set': {
      const mayBeEmpty = search.trim() === '' && unused === undefined;
      const note = unused ? t('For this API format only.') : t('Sent with the fields of the form.');
      return html`
        <h2 class="section" ?hidden=${!isAnyFound(rows.set) && !mayBeEmpty}>
          ${t('Set ({0})', setCount)} <span class="section-note">${note}</span>
        </h2>
      `;
    }
    case 'unset':
      return html`<h2 class="section" ?hidden=${!isAnyFound(rows.unset)}>${t(unused ? 'More' : 'Not set')}</h2>`;
    case 'none': {
      const isFound = isAnyFound([...commonFields, ...rows.set, ...rows.unset]);
      return html`<p class="no-matches" ?hidden=${isFound}>${t('No parameter matches. Add it as JSON under Other fields.')}</p>`;
    }
  }
}

function renderCommonHeading(unused: readonly string[], isShown: boolean): TemplateResult {
  return html`
    <h2 class="section" ?hidden=${!isShown}>
      ${t('Common')} <span class="section-note">${t('Kept when the API format changes.')}</span>
    </h2>
    ${unused.length === 0 ? nothing : html`<p class="section-note unused">${t('Not sent in this API format: {0}.', unused.join(t(', ')))}</p>`}
  `;
}

function renderField(field: Field, entered: EnteredParameters, words: readonly string[]): TemplateResult {
  return html`
    <mg-field .field=${field} .value=${entered.getValue(field)} .words=${words} ?hidden=${!entered.matchesSearch(field, words)}></mg-field>
  `;
}
