/** What a child window asks the gateway of its parent. */
export type ChildQuestion = {
  readonly type: 'create' | 'find' | 'poll';
  readonly key: string;
};

/** What a child window tells the test. */
export type ChildReport =
  | { readonly type: 'ready'; readonly setAside?: string }
  | { readonly type: 'recovered'; readonly count: number }
  /** The id has come, and the ledger has it. */
  | { readonly type: 'kept'; readonly key: string; readonly taskId: string }
  | { readonly type: 'noticed'; readonly key: string };

export type ChildMessage = ChildReport | (ChildQuestion & { readonly number: number });

export interface ParentReply {
  /** The number of the question. */
  readonly to: number;
  readonly taskId?: string;
}
