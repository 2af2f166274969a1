import type * as vscode from 'vscode';
import type { GatewayServices } from '../gateway/gatewayServices.ts';
import { disposeWithExtension } from '../kit/kitServices.ts';
import { RequestDocuments } from './requestDocuments.ts';
import { RequestDrafts } from './requestDrafts.ts';
import { RequestsView } from './requestsView.ts';
import { UsageDocument } from './usage/usageDocument.ts';

export interface RequestServices extends GatewayServices {
  readonly requestsView: RequestsView;
  readonly requestDocuments: RequestDocuments;
  readonly requestDrafts: RequestDrafts;
  readonly usageDocument: UsageDocument;
}

export function createRequestServices(
  context: vscode.ExtensionContext,
  below: GatewayServices,
): RequestServices {
  const { requests, conversations, chatWorker, tasks, spending } = below;
  const usageDocument = new UsageDocument({
    sumUsage: async (queries) => {
      // Open the store first: it reports a damaged file to the user, and the worker does not.
      await conversations.store();
      return chatWorker.request('sumUsage', queries);
    },
    videoUsage: () => tasks.readUsage(),
    limitUses: () => spending.uses(),
    limitProblem: () => spending.problem,
  });
  return {
    ...below,
    requestsView: disposeWithExtension(context, new RequestsView(requests)),
    requestDocuments: disposeWithExtension(context, new RequestDocuments(requests)),
    requestDrafts: disposeWithExtension(context, new RequestDrafts()),
    usageDocument: disposeWithExtension(context, usageDocument),
  };
}
