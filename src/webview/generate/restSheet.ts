import '../form/parametersElement.ts';
import { html, type TemplateResult } from 'lit';
import type { GenerateForm } from '../../protocol/generatePage.ts';
import type { ParameterValues } from '../../protocol/pageMessage.ts';
import type { Tab } from '../form/parametersSheetViews.ts';
import { removePaths, replaceRest } from './fieldPaths.ts';

/** The content of an open sheet for all values without a field on the page. */
export interface RestSheet {
  readonly tab: Tab;
  readonly values: ParameterValues;
}

interface SheetEvents {
  readonly onChange: (values: ParameterValues) => void;
  /** Called before the request is shown. */
  readonly onPreview: () => void;
  readonly onCopy: () => void;
  readonly onClose: () => void;
}

/** Returns the values that the sheet shows. */
export function pickRestValues(form: GenerateForm): ParameterValues {
  return removePaths(listPaths(form), form.values);
}

/** Replaces the sheet's part of a form's values. */
export function replaceRestValues(form: GenerateForm, rest: ParameterValues): ParameterValues {
  return replaceRest(listPaths(form), form.values, rest);
}

export function renderRestSheet(
  { rest }: GenerateForm,
  { tab, values }: RestSheet,
  requestJson: string,
  { onChange, onPreview, onCopy, onClose }: SheetEvents,
): TemplateResult {
  return html`
    <mg-parameters
      .schema=${rest}
      .values=${values}
      .tab=${tab}
      .requestJson=${requestJson}
      @change=${({ detail }: CustomEvent<ParameterValues>) => onChange(detail)}
      @preview=${onPreview}
      @copy-request=${onCopy}
      @close=${onClose}
    ></mg-parameters>
  `;
}

function listPaths({ fields }: GenerateForm): readonly (readonly string[])[] {
  return fields.map(({ path }) => path);
}
