import type * as vscode from 'vscode';
import type { GatewayServices } from '../gateway/gatewayServices.ts';
import { own } from '../kit/kitServices.ts';
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
    videoUsage: () => tasks.usage(),
    limitUses: () => spending.uses(),
    limitProblem: () => spending.problem,
  });
  return {
    ...below,
    requestsView: own(context, new RequestsView(requests)),
    requestDocuments: own(context, new RequestDocuments(requests)),
    requestDrafts: own(context, new RequestDrafts()),
    usageDocument: own(context, usageDocument),
  };
}
