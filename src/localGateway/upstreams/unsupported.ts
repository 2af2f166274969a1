import { type TextFormatId, textFormat } from '../../wire/apis/textFormats.ts';
import { type HttpError, invalidRequest } from '../http/httpError.ts';

/**
 * The error for a format that a model does not have.
 *
 * @param formats those that it has
 */
export function otherFormat(upstream: string, model: string, formats: readonly TextFormatId[]): HttpError {
  const known = formats.map(textFormat);
  const served = known.map(({ label }) => label).join(' and ') || 'no text';
  const routes = known.map(({ route }) => `${route.method} ${route.path}`).join(' or ');
  const advice = routes === '' ? 'Ask another model.' : `Ask for it with ${routes}.`;
  const message = `The model "${model.slice(0, 100)}" comes from upstream '${upstream}', which serves only ${served}. ${advice}`;
  return invalidRequest(message, 'unsupported_api_format', 'model');
}

/** The error for a request whose tokens nobody counts. */
export function cannotCount(upstream: string, model: string): HttpError {
  const message = `The tokens of "${model.slice(0, 100)}" cannot be counted: upstream '${upstream}' has no route for it.`;
  return invalidRequest(message, 'unsupported_operation', 'model');
}
