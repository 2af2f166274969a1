import * as vscode from 'vscode';
import { type RequestFigures, requestState } from '../../requests/requestRecord.ts';
import { type Choice, pick } from '../kit/display/prompts.ts';
import { routeName } from './requestWords.ts';

/** Which requests are shown: those that failed, or those of a route. */
export type RequestFilter = { readonly kind: 'failed' } | { readonly kind: 'route'; readonly route: string };

export function isShown(figures: RequestFigures, filter: RequestFilter | undefined): boolean {
  switch (filter?.kind) {
    case undefined:
      return true;
    case 'failed':
      return requestState(figures) === 'failed';
    case 'route':
      return figures.route === filter.route;
  }
}

export function filterName(filter: RequestFilter): string {
  return filter.kind === 'failed' ? vscode.l10n.t('failed requests') : routeName(filter.route);
}

interface FilterChoice extends Choice {
  readonly filter: RequestFilter;
}

/**
 * Asks what to filter by.
 *
 * @param all the requests whose routes are offered
 * @returns undefined when the user cancels
 */
export async function pickFilter(all: readonly RequestFigures[]): Promise<RequestFilter | undefined> {
  const routes = [...new Set(all.map(({ route }) => route))];
  const choices: readonly FilterChoice[] = [
    { label: vscode.l10n.t('Failed requests'), icon: 'error', filter: { kind: 'failed' } },
    ...routes.map((route) => ({
      ...{ label: routeName(route), description: route },
      filter: { kind: 'route', route } as const,
    })),
  ];
  return (await pick(choices, { title: vscode.l10n.t('Choose the requests to show') }))?.filter;
}
