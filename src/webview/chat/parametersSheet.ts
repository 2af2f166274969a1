import { html, type TemplateResult } from 'lit';
import type { FromChatPage, ToChatPage } from '../../protocol/chatPage.ts';
import type { ParameterValues } from '../../protocol/pageMessage.ts';
import type { ParametersAction } from '../../protocol/parameters.ts';
import type { CommonChange, CommonForm } from '../form/parametersElement.ts';
import '../form/parametersElement.ts';

type Parameters = Extract<ToChatPage, { type: 'parameters' }>;
type Request = Extract<ToChatPage, { type: 'request' }>;
type CommonName = Extract<FromChatPage, { type: 'set-common-parameter' }>['name'];

interface SheetEvents {
  readonly onChange: (values: ParameterValues) => void;
  readonly onCommonChange: (change: { readonly name: CommonName; readonly value?: unknown }) => void;
  readonly onTool: (action: ParametersAction) => void;
  /** Called before the request is shown. */
  readonly onPreview: () => void;
  readonly onCopy: () => void;
  readonly onClose: () => void;
}

/** The parameters of a chat, beside its conversation. */
export function parametersSheet(
  { schema, values, ...view }: Parameters,
  request: Request | undefined,
  { onChange, onCommonChange, onTool, onPreview, onCopy, onClose }: SheetEvents,
): TemplateResult {
  return html`
    <mg-parameters
      .schema=${schema}
      .values=${values}
      .common=${commonForm(view)}
      .requestJson=${request?.json ?? ''}
      .omitted=${request?.omitted ?? []}
      @change=${({ detail }: CustomEvent<ParameterValues>) => onChange(detail)}
      @common-change=${({ detail }: CustomEvent<CommonChange>) => onCommonChange(detail as { name: CommonName })}
      @tool=${({ detail }: CustomEvent<ParametersAction>) => onTool(detail)}
      @preview=${onPreview}
      @copy-request=${onCopy}
      @close=${onClose}
    ></mg-parameters>
  `;
}

function commonForm(view: Omit<Parameters, 'schema' | 'values'>): CommonForm {
  const { commonSchema, common, unused, model, defaults, wasReset } = view;
  return { schema: commonSchema, values: common, unused, kept: { model, defaults, wasReset } };
}
