/** A request of a child window to its parent's gateway. */
export type ChildRequest = {
  readonly type: 'create' | 'find' | 'poll';
  readonly key: string;
};

/** A report of a child window to the test. */
export type ChildReport =
  | { readonly type: 'ready'; readonly setAside?: string }
  | { readonly type: 'recovered'; readonly count: number }
  /** The id has arrived and is stored in the ledger. */
  | { readonly type: 'stored'; readonly key: string; readonly taskId: string }
  | { readonly type: 'noticed'; readonly key: string };

export type ChildMessage = ChildReport | (ChildRequest & { readonly number: number });

export interface ParentReply {
  /** The `number` of the request. */
  readonly requestNumber: number;
  readonly taskId?: string;
}
