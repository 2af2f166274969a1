import { html, type TemplateResult } from 'lit';
import type { GenerateForm } from '../../protocol/generatePage.ts';
import type { ParameterValues } from '../../protocol/pageMessage.ts';
import type { Tab } from '../form/parametersElement.ts';
import '../form/parametersElement.ts';
import { restOf, withRest } from './body.ts';

/** The sheet with everything that has no field in the page. */
export interface RestSheet {
  readonly tab: Tab;
  readonly values: ParameterValues;
}

interface SheetEvents {
  readonly onChange: (values: ParameterValues) => void;
  /** The request is about to be looked at. */
  readonly onPreview: () => void;
  readonly onCopy: () => void;
  readonly onClose: () => void;
}

/** What of a form's values the sheet shows. */
export function restValues(form: GenerateForm): ParameterValues {
  return restOf(pathsOf(form), form.values);
}

/** The values of a form with those of the sheet replaced. */
export function withRestValues(form: GenerateForm, rest: ParameterValues): ParameterValues {
  return withRest(pathsOf(form), form.values, rest);
}

export function restSheetView(
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

function pathsOf({ fields }: GenerateForm): readonly (readonly string[])[] {
  return fields.map(({ path }) => path);
}
