import { setTimeout } from 'node:timers/promises';
import type { RequestKind } from '../storage/worker/requestKind.ts';
import type { RequestHandlers } from '../storage/worker/serveRequests.ts';
import { hidingOf } from '../wire/secrets/hiding.ts';
import { FailureStore, type KeptFailure } from './failureStore.ts';
import { hiddenContent, type RequestContent } from './requestContent.ts';
import type { RequestFigures, UnhiddenContent } from './requestRecord.ts';

/** A failed request as it comes to the worker, which hides the credential before it writes anything. */
export interface UnhiddenFailure {
  readonly figures: RequestFigures;
  readonly raw: UnhiddenContent | undefined;
}

/** What is to be shown of a request, with the credential still in it. */
export interface UnhiddenRequest {
  readonly raw: UnhiddenContent;
  /** Whether whatever looks like a credential is hidden in the request's body, and not only the credential itself. */
  readonly hidesAll: boolean;
}

/** What the worker of kept failures does, by kinds of requests. */
export interface FailureRequests {
  readonly keep: RequestKind<UnhiddenFailure, undefined>;
  readonly list: RequestKind<undefined, readonly RequestFigures[]>;
  /** Undefined for a failure that is not kept any more. */
  readonly get: RequestKind<string, KeptFailure | undefined>;
  readonly clear: RequestKind<undefined, undefined>;
  /** Touches no file. */
  readonly hide: RequestKind<UnhiddenRequest, RequestContent>;
}

/** What the worker does with each kind of request. */
export function failureHandlers({ file }: { readonly file: string }): RequestHandlers<FailureRequests> {
  const store = new FailureStore(file);
  return {
    async keep(failure) {
      store.keep(hidden(failure));
      return undefined;
    },
    list: async () => store.list(),
    get: async (id) => store.get(id),
    async clear() {
      await store.clear(setTimeout);
      return undefined;
    },
    hide: async (request) => hiddenRequest(request),
  };
}

function hidden({ figures, raw }: UnhiddenFailure): KeptFailure {
  return raw ? { figures, content: hiddenRequest({ raw, hidesAll: true }) } : { figures };
}

function hiddenRequest({ raw: { content, credential }, hidesAll }: UnhiddenRequest): RequestContent {
  const hiding = hidingOf(credential);
  return hiddenContent(content, hiding, hidesAll ? hiding.hide : hiding.hideCredential);
}
