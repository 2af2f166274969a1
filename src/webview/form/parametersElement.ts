import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { type JsonObject, sameJson } from '../../base/json.ts';
import type { JsonSchema } from '../../base/jsonSchema.ts';
import { searchWords } from '../../base/searchWords.ts';
import { renderPickerButton } from '../parts/buttons.ts';
import { confirmCopied } from '../parts/clickActions.ts';
import { LightElement, property, state } from '../parts/lightElement.ts';
import { formatNumber, t } from '../words/l10n.ts';
import { EnteredParameters, getCommonName } from './enteredParameters.ts';
import type { FieldChange, FieldElement } from './fieldElement.ts';
import {
  renderAsideSheet,
  renderDialogSheet,
  renderFieldList,
  renderModelPicker,
  renderRequest,
  renderResetAllButton,
  renderSaveTools,
  renderSearchBox,
  renderSheetHead,
  type SavedParameters,
  type Tab,
} from './parametersSheetViews.ts';

/** A change of a common parameter in the form; an undefined value removes the parameter. */
export interface CommonChange {
  readonly name: string;
  readonly value: unknown;
}

/** The common parameters of a form. */
export interface CommonForm {
  /** JSON Schema of the common parameters that the API format supports. */
  readonly schema: JsonSchema;
  readonly values: JsonObject;
  /** Names of the common parameters that are set but that this API format does not support. */
  readonly unused: readonly string[];
  readonly saved: SavedParameters;
  /** The name of the API format. */
  readonly format: string;
}

/**
 * `<mg-parameters>`: the side sheet for the request fields other than the conversation. It opens when it is added
 * to the page. Remove it on `close`; the focus has already returned to its previous element. Fires `change` with
 * all set values (a JSON object), `preview` with the index of the model in `models` before the request is shown,
 * and `copy-request`. Values other than the last fired ones replace the input, including unfinished text: do not
 * pass old values.
 *
 * With a common form the sheet is next to the page instead of over it, and begins with the common parameters. It
 * then fires `common-change` with each change of a common parameter, and `tool` with the action name of a button.
 */
export class ParametersElement extends LightElement.with({
  /** The JSON Schema of the request without the fields of the conversation. */
  schema: property<JsonSchema>({}),
  values: property<JsonObject>({}),
  common: property<CommonForm | undefined>(),
  requestJson: property(''),
  omitted: property<readonly string[]>([]),
  /** The models that receive the request at the same time. */
  models: property<readonly string[]>([]),
  /** The index of the model whose request is shown. */
  nth: property(0),
  /** The initial tab; does not fire `preview`. */
  tab: property<Tab>('parameters'),
  /** The path of a field to reveal; a new array with the same path reveals it again. */
  fieldToReveal: property<readonly string[] | undefined>(),
  search: state(''),
  announcement: state(''),
}) {
  readonly #parameters = new EnteredParameters();
  /** The values of the last `change` event. */
  #firedValues: JsonObject | undefined;
  /** The element that had the focus before the sheet opened. */
  #opener: Element | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#opener = document.activeElement;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('common');
    const isReplaced = changed.has('schema') || this.common?.values !== (before ?? this.common)?.values;
    if (changed.has('schema')) this.#parameters.setSchema(this.schema);
    if (changed.has('common')) this.#parameters.setCommonSchema(this.common?.schema ?? {});
    if (isReplaced || (changed.has('values') && !sameJson(this.values, this.#firedValues))) {
      this.#replaceInput(this.values);
    }
  }

  protected override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
    if (this.tab === 'request') this.#focusTab();
    else if (this.common) this.#focusSearch();
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('fieldToReveal') && this.fieldToReveal) void this.#revealField(this.fieldToReveal);
  }

  /** Shows and focuses a field, or searches for its name if the field is not found. */
  async #revealField(path: readonly string[]): Promise<void> {
    this.tab = 'parameters';
    this.search = '';
    await this.updateComplete;
    const element = findFieldElement([...this.querySelectorAll('mg-field')], path);
    if (element) {
      await element.updateComplete;
      element.scrollIntoView({ block: 'center' });
      element.focusControl();
    } else {
      this.search = path.at(-1) ?? '';
      this.#focusSearch();
    }
  }

  protected override render(): TemplateResult {
    const content = this.#renderContent();
    return this.common
      ? renderAsideSheet(content, () => this.#close())
      : renderDialogSheet(content, () => this.dispatchEvent(new CustomEvent('close')));
  }

  #renderContent(): TemplateResult {
    return html`
      ${renderSheetHead(this.tab, {
        onShow: (tab) => this.#showTab(tab),
        onKey: (event) => this.#onTabKey(event),
        onClose: () => this.#close(),
      })}
      <div class="panel" id="panel-parameters" role="tabpanel" aria-labelledby="tab-parameters" ?hidden=${this.tab !== 'parameters'}>
        ${this.#renderForm()}
        ${this.common ? renderSaveTools(this.common.saved, this.#isSet, (tool) => this.#fireTool(tool)) : nothing}
      </div>
      <div class="panel" id="panel-request" role="tabpanel" aria-labelledby="tab-request" ?hidden=${this.tab !== 'request'}>
        ${this.models.length > 1 ? renderModelPicker(this.models, this.nth, (nth) => this.#preview(nth)) : nothing}
        ${renderRequest(this.requestJson, this.omitted, (event) => this.#copy(event))}
      </div>
      <div class="visually-hidden" role="status">${this.announcement}</div>
    `;
  }

  #renderForm(): TemplateResult {
    return html`
      ${this.common ? renderFormatRow(this.common.format) : nothing}
      <div class="form-tools">
        ${renderSearchBox(this.search, (event) => this.#onSearch(event))}
        ${renderResetAllButton(
          this.common?.saved.wasReset === true && !this.#isSet,
          this.#isSet || this.#parameters.isTouched,
          {
            reset: () => this.#resetAll(),
            undo: () => this.#fireTool('undo-reset'),
          },
        )}
      </div>
      <div class="fields" @field-change=${this.#onFieldChange} @focusout=${this.#onFocusOut}>
        ${renderFieldList(this.#parameters, {
          search: this.search,
          setCount: Object.keys(this.values).length,
          unused: this.common?.unused,
        })}
      </div>
    `;
  }

  get #isSet(): boolean {
    return Object.keys(this.values).length > 0 || this.#parameters.hasCommonValues;
  }

  #onSearch(event: InputEvent): void {
    if (!(event.target instanceof HTMLInputElement)) return;
    this.search = event.target.value;
    const words = searchWords(this.search);
    const { schemaFields } = this.#parameters;
    const matchCount = schemaFields.filter((field) => this.#parameters.matchesSearch(field, words)).length;
    this.announcement = t(
      schemaFields.length === 1 ? '{0} of {1} parameter' : '{0} of {1} parameters',
      matchCount,
      formatNumber(schemaFields.length),
    );
  }

  #onFieldChange(event: CustomEvent<FieldChange>): void {
    event.stopPropagation();
    const { field, value } = event.detail;
    const isCommonChanged = this.#parameters.enter(field, value);
    this.requestUpdate();
    if (!this.#parameters.isCommon(field)) this.#fireChange();
    else if (isCommonChanged) this.#fireCommonChange(getCommonName(field), value);
  }

  #fireCommonChange(name: string, value: unknown): void {
    const detail: CommonChange = { name, value };
    this.dispatchEvent(new CustomEvent('common-change', { detail }));
  }

  #fireChange(): void {
    const values = this.#parameters.sendableValues;
    if (sameJson(values, this.values)) return;
    this.#firedValues = values;
    this.values = values;
    this.dispatchEvent(new CustomEvent('change', { detail: values }));
  }

  /** Resets all values. With a common form the host does it, and sends the remaining values. */
  #resetAll(): void {
    this.announcement = t('All parameters are reset');
    this.#focusSearch();
    if (this.common) this.#fireTool('reset');
    else {
      this.#replaceInput({});
      this.#fireChange();
    }
  }

  #fireTool(tool: string): void {
    this.dispatchEvent(new CustomEvent('tool', { detail: tool }));
  }

  #replaceInput(values: JsonObject): void {
    this.#parameters.replaceInput(values, this.common?.values ?? {});
    this.requestUpdate();
  }

  #onFocusOut({ currentTarget, relatedTarget }: FocusEvent): void {
    const isFocusMove = relatedTarget instanceof Node && currentTarget instanceof Node;
    if (!isFocusMove || currentTarget.contains(relatedTarget)) return;
    // Fields do not move while one of them has the focus.
    this.#parameters.sortRows();
    this.requestUpdate();
  }

  #showTab(tab: Tab): void {
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
    this.#showTab(this.tab === 'request' ? 'parameters' : 'request');
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
    confirmCopied(currentTarget, (text) => {
      this.announcement = text;
    });
  }

  #close(): void {
    const dialog = this.querySelector('dialog');
    if (dialog) dialog.close();
    else this.#closeAside();
  }

  #closeAside(): void {
    const hadFocus = this.contains(document.activeElement);
    if (hadFocus && this.#opener instanceof HTMLElement && this.#opener.isConnected) this.#opener.focus();
    this.dispatchEvent(new CustomEvent('close'));
  }
}

/** Renders the API format as a button to choose another. */
function renderFormatRow(format: string): TemplateResult {
  const label = t('API format: {0}. Choose another', format);
  return html`
    <div class="format-row">
      <span aria-hidden="true">${t('API format')}</span>
      ${renderPickerButton('choose-format', format, label)}
    </div>
  `;
}

/** Finds the field at a path, or the group that contains it. Ignores underscores, because gateways differ in them. */
function findFieldElement(
  elements: readonly FieldElement[],
  path: readonly string[],
): FieldElement | undefined {
  const normalize = (names: readonly string[]) => names.join('.').toLowerCase().replaceAll('_', '');
  const normalizedPath = normalize(path);
  const fieldsWithPath = elements.filter(({ field }) => field.path.length > 0);
  return (
    fieldsWithPath.find(({ field }) => normalize(field.path) === normalizedPath) ??
    fieldsWithPath.find(({ field }) => normalizedPath.startsWith(`${normalize(field.path)}.`))
  );
}

customElements.define('mg-parameters', ParametersElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-parameters': ParametersElement;
  }
}
