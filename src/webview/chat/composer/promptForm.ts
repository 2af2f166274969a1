import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { PromptField, PromptFormMessage, PromptFormView } from '../../../protocol/promptForm.ts';
import { renderProblem } from '../../form/fieldViews.ts';
import { renderText } from '../../markdown/dom.ts';
import { LightElement, property, state } from '../../parts/lightElement.ts';
import { t } from '../../words/l10n.ts';

type Values = Readonly<Record<string, string>>;

/** The typed values of a form, as the page stores them while it is hidden. */
export interface StoredForm {
  readonly id: string;
  readonly values: Values;
}

declare global {
  interface HTMLElementEventMap {
    'prompt-form': CustomEvent<PromptFormMessage>;
    'prompt-typed': CustomEvent<StoredForm>;
  }
}

/** The maximum number of visible lines of a value. */
const maxRows = 8;

/**
 * `<mg-prompt-form>`: the inputs that the user fills in before a prompt file fills the message box. Fires
 * `prompt-form` with the message to the host, and `prompt-typed` with all inputs after each change.
 */
class PromptFormElement extends LightElement.with({
  form: property<PromptFormView>(),
  /** The values when the page was hidden. */
  storedForm: property<StoredForm | undefined>(),
  typedValues: state<Values>({}),
  /** Whether the user has tried to continue. From then on, missing inputs are reported. */
  hasTried: state(false),
}) {
  /** Focuses the first field that is still empty and required, otherwise the first one. */
  async focusFirst(): Promise<void> {
    await this.updateComplete;
    const { fields } = this.form;
    const index = fields.findIndex((field) => this.#isMissing(field));
    this.#boxes[Math.max(0, index)]?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('form') || changed.get('form')?.id === this.form.id) return;
    this.hasTried = false;
    const initialValues = Object.fromEntries(this.form.fields.map(({ name, value }) => [name, value]));
    this.typedValues =
      this.storedForm?.id === this.form.id ? { ...initialValues, ...this.storedForm.values } : initialValues;
  }

  protected override render(): TemplateResult {
    const { title, description, fields } = this.form;
    return html`
      <form class="prompt-form" aria-label=${t('Prompt {0}', title)} novalidate @submit=${this.#onSubmit} @keydown=${this.#onKey}>
        <div class="prompt-form-head">
          <strong>${renderText(title)}</strong>
          ${description === '' ? nothing : html`<span class="prompt-form-about">${renderText(description)}</span>`}
        </div>
        <div class="prompt-form-fields">${fields.map((field, index) => this.#renderField(field, index))}</div>
        <div class="edit-buttons">
          <button type="submit" class="button">${t('Insert into Message Box')}</button>
          <button type="button" class="button secondary" @click=${this.#cancel}>${t('Cancel')}</button>
          <span class="edit-note">${t('Nothing is sent yet.')}</span>
        </div>
      </form>
    `;
  }

  #renderField(field: PromptField, index: number): TemplateResult {
    const { name, fallback } = field;
    const value = this.typedValues[name] ?? '';
    const isReported = this.hasTried && this.#isMissing(field);
    const rows = Math.min(maxRows, value.split('\n').length);
    return html`
      <div class="prompt-form-field">
        <label for="prompt-field-${index}">${renderText(name)}${fallback === undefined ? html` <span aria-hidden="true">*</span>` : nothing}</label>
        <textarea
          id="prompt-field-${index}"
          class="box"
          rows=${rows}
          placeholder=${fallback ?? ''}
          aria-required=${fallback === undefined}
          aria-invalid=${isReported}
          aria-describedby=${isReported ? `prompt-problem-${index}` : nothing}
          .value=${value}
          @input=${({ currentTarget }: InputEvent) => this.#onInput(name, currentTarget)}
        ></textarea>
        ${isReported ? html`<div role="alert">${renderProblem(`prompt-problem-${index}`, t('Fill in this field: the prompt requires it.'))}</div>` : nothing}
      </div>
    `;
  }

  get #boxes(): readonly HTMLTextAreaElement[] {
    return [...this.querySelectorAll('textarea')];
  }

  #isMissing({ name, fallback }: PromptField): boolean {
    return fallback === undefined && (this.typedValues[name] ?? '').trim() === '';
  }

  #onInput(name: string, box: EventTarget | null): void {
    if (!(box instanceof HTMLTextAreaElement)) return;
    this.typedValues = { ...this.typedValues, [name]: box.value };
    this.dispatchEvent(
      new CustomEvent('prompt-typed', { detail: { id: this.form.id, values: this.typedValues } }),
    );
  }

  readonly #onSubmit = (event: Event): void => {
    event.preventDefault();
    this.hasTried = true;
    if (this.form.fields.some((field) => this.#isMissing(field))) return void this.focusFirst();
    this.#fire({ type: 'fill-prompt', id: this.form.id, values: this.typedValues });
  };

  /** Closes the form on Escape, without other effects of the key such as stopping a reply. Continues on Ctrl+Enter. */
  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      this.#cancel();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.repeat) {
      this.#onSubmit(event);
    }
  };

  readonly #cancel = (): void => this.#fire({ type: 'close-prompt', id: this.form.id });

  #fire(detail: PromptFormMessage): void {
    this.dispatchEvent(new CustomEvent('prompt-form', { detail }));
  }
}

customElements.define('mg-prompt-form', PromptFormElement);

declare global {
  interface HTMLElementTagNameMap {
    'mg-prompt-form': PromptFormElement;
  }
}
