import { setTimeout } from 'node:timers/promises';
import type { RequestKind } from '../../storage/worker/requestKind.ts';
import type { RequestHandlers } from '../../storage/worker/serveRequests.ts';
import { hidingOf } from '../../wire/secrets/hiding.ts';
import { hiddenContent } from '../requestContent.ts';
import type { RequestFigures, UnhiddenContent } from '../requestRecord.ts';
import { FailureStore, type KeptFailure } from './failureStore.ts';

/** A failed request as it comes to the worker, which hides the credential before it writes anything. */
export interface UnhiddenFailure {
  readonly figures: RequestFigures;
  readonly raw: UnhiddenContent | undefined;
}

/** What the worker of kept failures does, by kinds of requests. */
export interface FailureRequests {
  readonly keep: RequestKind<UnhiddenFailure, undefined>;
  readonly list: RequestKind<undefined, readonly RequestFigures[]>;
  /** Undefined for a failure that is not kept any more. */
  readonly get: RequestKind<string, KeptFailure | undefined>;
  readonly clear: RequestKind<undefined, undefined>;
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
  };
}

function hidden({ figures, raw }: UnhiddenFailure): KeptFailure {
  if (!raw) return { figures };
  const hiding = hidingOf(raw.credential);
  return { figures, content: hiddenContent(raw.content, hiding, hiding.hide) };
}
