import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { type JsonObject, sameJson } from '../../base/json.ts';
import type { JsonSchema } from '../../base/jsonSchema.ts';
import { tellCopied } from '../parts/actions.ts';
import { pickerButton } from '../parts/buttons.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { numberWords, t } from '../words/l10n.ts';
import { commonNameOf } from './commonFields.ts';
import { EnteredParameters } from './enteredParameters.ts';
import type { FieldChange, FieldElement } from './fieldElement.ts';
import { fieldList, searchBox } from './fieldList.ts';
import { searchWords } from './fields.ts';
import {
  type KeptView,
  keptTools,
  modelPicker,
  requestView,
  resetTool,
  sheetBeside,
  sheetHead,
  sheetOver,
  type Tab,
} from './sheetViews.ts';

/** A common parameter that the form changed; an undefined value takes it out. */
export interface CommonChange {
  readonly name: string;
  readonly value: unknown;
}

/** The common parameters of a form. */
export interface CommonForm {
  /** JSON Schema of those that the API format takes. */
  readonly schema: JsonSchema;
  readonly values: JsonObject;
  /** Names of those that are set, and that this API format does not take. */
  readonly unused: readonly string[];
  readonly kept: KeptView;
  /** The name of the API format. */
  readonly format: string;
}

/**
 * `<mg-parameters>`: the side sheet that sets what goes into a request beside the conversation. It opens as it
 * enters the page; take it out on `close`, when the focus is back where it came from. Fires `change` with all
 * the values that are set (a JSON object), `preview` with the place of the model among `models` when its request is
 * about to be looked at, and `copy-request`. Values other than those it fired last replace what stands in the form, unfinished text
 * included: do not send it old ones back.
 *
 * With a common form it stands beside the page instead of over it, begins with the common parameters, fires
 * `common-change` with each change of one, and `tool` with the name of what a button does.
 */
export class ParametersElement extends LightElement.with({
  /** The JSON Schema of the request without the fields of the conversation. */
  schema: property<JsonSchema>({}),
  values: property<JsonObject>({}),
  common: property<CommonForm | undefined>(),
  requestJson: property(''),
  omitted: property<readonly string[]>([]),
  /** The models to which requests are sent at once. */
  models: property<readonly string[]>([]),
  /** For which of them the request is shown. */
  nth: property(0),
  /** The initial tab; does not fire `preview`. */
  tab: property<Tab>('parameters'),
  /** The path of the field to lead to; another array leads there again. */
  sought: property<readonly string[] | undefined>(),
  search: state(''),
  announcement: state(''),
}) {
  readonly #entered = new EnteredParameters();
  #fired: JsonObject | undefined;
  #opener: Element | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#opener = document.activeElement;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('common');
    const isOther = changed.has('schema') || this.common?.values !== (before ?? this.common)?.values;
    if (changed.has('schema')) this.#entered.takeSchema(this.schema);
    if (changed.has('common')) this.#entered.takeCommonSchema(this.common?.schema ?? {});
    if (isOther || (changed.has('values') && !sameJson(this.values, this.#fired))) {
      this.#startWith(this.values);
    }
  }

  protected override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
    if (this.tab === 'request') this.#focusTab();
    else if (this.common) this.#focusSearch();
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('sought') && this.sought) void this.#leadTo(this.sought);
  }

  /** Shows and focuses a field, or what the search finds by its name. */
  async #leadTo(path: readonly string[]): Promise<void> {
    this.tab = 'parameters';
    this.search = '';
    await this.updateComplete;
    const found = elementAt([...this.querySelectorAll('mg-field')], path);
    if (found) {
      await found.updateComplete;
      found.scrollIntoView({ block: 'center' });
      found.focusControl();
    } else {
      this.search = path.at(-1) ?? '';
      this.#focusSearch();
    }
  }

  protected override render(): TemplateResult {
    const content = this.#content();
    return this.common
      ? sheetBeside(content, () => this.#close())
      : sheetOver(content, () => this.dispatchEvent(new CustomEvent('close')));
  }

  #content(): TemplateResult {
    return html`
      ${sheetHead(this.tab, {
        onShow: (tab) => this.#show(tab),
        onKey: (event) => this.#onTabKey(event),
        onClose: () => this.#close(),
      })}
      <div class="panel" id="panel-parameters" role="tabpanel" aria-labelledby="tab-parameters" ?hidden=${this.tab !== 'parameters'}>
        ${this.#form()}
        ${this.common ? keptTools(this.common.kept, this.#isSet, (tool) => this.#use(tool)) : nothing}
      </div>
      <div class="panel" id="panel-request" role="tabpanel" aria-labelledby="tab-request" ?hidden=${this.tab !== 'request'}>
        ${this.models.length > 1 ? modelPicker(this.models, this.nth, (nth) => this.#preview(nth)) : nothing}
        ${requestView(this.requestJson, this.omitted, (event) => this.#copy(event))}
      </div>
      <div class="visually-hidden" role="status">${this.announcement}</div>
    `;
  }

  #form(): TemplateResult {
    return html`
      ${this.common ? formatRow(this.common.format) : nothing}
      <div class="form-tools">
        ${searchBox(this.search, (event) => this.#onSearch(event))}
        ${resetTool(
          this.common?.kept.wasReset === true && !this.#isSet,
          this.#isSet || this.#entered.touched,
          {
            reset: () => this.#resetAll(),
            undo: () => this.#use('undo-reset'),
          },
        )}
      </div>
      <div class="fields" @field-change=${this.#onFieldChange} @focusout=${this.#onFocusOut}>
        ${fieldList(this.#entered, {
          search: this.search,
          setCount: Object.keys(this.values).length,
          unused: this.common?.unused,
        })}
      </div>
    `;
  }

  get #isSet(): boolean {
    return Object.keys(this.values).length > 0 || this.#entered.hasCommon;
  }

  #onSearch(event: InputEvent): void {
    if (!(event.target instanceof HTMLInputElement)) return;
    this.search = event.target.value;
    const words = searchWords(this.search);
    const { known } = this.#entered;
    const found = known.filter((field) => this.#entered.isFound(field, words)).length;
    this.announcement = t(
      known.length === 1 ? '{0} of {1} parameter' : '{0} of {1} parameters',
      found,
      numberWords(known.length),
    );
  }

  #onFieldChange(event: CustomEvent<FieldChange>): void {
    event.stopPropagation();
    const { field, value } = event.detail;
    const isCommonChanged = this.#entered.enter(field, value);
    this.requestUpdate();
    if (!this.#entered.isCommon(field)) this.#fire();
    else if (isCommonChanged) this.#fireCommon(commonNameOf(field), value);
  }

  #fireCommon(name: string, value: unknown): void {
    const detail: CommonChange = { name, value };
    this.dispatchEvent(new CustomEvent('common-change', { detail }));
  }

  #fire(): void {
    const values = this.#entered.sendable;
    if (sameJson(values, this.values)) return;
    this.#fired = values;
    this.values = values;
    this.dispatchEvent(new CustomEvent('change', { detail: values }));
  }

  /** The host resets common parameters with all others, and sends what is left. */
  #resetAll(): void {
    this.announcement = t('All parameters are reset');
    this.#focusSearch();
    if (this.common) this.#use('reset');
    else {
      this.#startWith({});
      this.#fire();
    }
  }

  #use(tool: string): void {
    this.dispatchEvent(new CustomEvent('tool', { detail: tool }));
  }

  #startWith(values: JsonObject): void {
    this.#entered.begin(values, this.common?.values ?? {});
    this.requestUpdate();
  }

  #onFocusOut({ currentTarget, relatedTarget }: FocusEvent): void {
    const left = relatedTarget instanceof Node && currentTarget instanceof Node;
    if (!left || currentTarget.contains(relatedTarget)) return;
    // No field moves while the focus is among the fields.
    this.#entered.arrange();
    this.requestUpdate();
  }

  #show(tab: Tab): void {
    if (this.tab === tab) return;
    this.tab = tab;
    if (tab === 'request') this.#preview(this.nth);
  }

  #preview(detail: number): void {
    this.dispatchEvent(new CustomEvent('preview', { detail }));
  }

  #onTabKey(event: KeyboardEvent): void {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    this.#show(this.tab === 'request' ? 'parameters' : 'request');
    this.#focusTab();
  }

  #focusSearch(): void {
    this.querySelector<HTMLElement>('[role="searchbox"]')?.focus();
  }

  #focusTab(): void {
    this.querySelector<HTMLElement>(`#tab-${this.tab}`)?.focus();
  }

  #copy({ currentTarget }: Event): void {
    this.dispatchEvent(new CustomEvent('copy-request'));
    if (!(currentTarget instanceof HTMLElement)) return;
    tellCopied(currentTarget, (words) => {
      this.announcement = words;
    });
  }

  #close(): void {
    const dialog = this.querySelector('dialog');
    if (dialog) dialog.close();
    else this.#closeBeside();
  }

  #closeBeside(): void {
    const hadFocus = this.contains(document.activeElement);
    if (hadFocus && this.#opener instanceof HTMLElement && this.#opener.isConnected) this.#opener.focus();
    this.dispatchEvent(new CustomEvent('close'));
  }
}

/** The API format, with a button to choose another. */
function formatRow(format: string): TemplateResult {
  const label = t('API format: {0}. Choose another', format);
  return html`
    <div class="format-row">
      <span aria-hidden="true">${t('API format')}</span>
      ${pickerButton('choose-format', format, label)}
    </div>
  `;
}

/** The field at a path, or the one that holds it; gateways spell with and without underscores. */
function elementAt(elements: readonly FieldElement[], path: readonly string[]): FieldElement | undefined {
  const folded = (names: readonly string[]) => names.join('.').toLowerCase().replaceAll('_', '');
  const sought = folded(path);
  const known = elements.filter(({ field }) => field.path.length > 0);
  return (
    known.find(({ field }) => folded(field.path) === sought) ??
    known.find(({ field }) => sought.startsWith(`${folded(field.path)}.`))
  );
}

customElements.define('mg-parameters', ParametersElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-parameters': ParametersElement;
  }
}
