/** A message that the store must hold, in the simplest form. */
export interface ModelMessage {
  readonly id: string;
  readonly parent: string | undefined;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly state: 'arriving' | 'done' | 'stopped';
  readonly owner?: string;
  readonly editOf?: string;
  /** The id of the message whose deletion also deleted this one. */
  readonly deletedWith?: string;
}

/** A change to a chat. Ids are chosen in advance, so that the result is known in advance. */
export type Change =
  | {
      readonly type: 'ask';
      readonly parent: string | undefined;
      readonly question: { readonly id: string; readonly text: string; readonly editOf?: string } | undefined;
      readonly replies: readonly string[];
      readonly owner: string;
    }
  | { readonly type: 'edit'; readonly message: string; readonly id: string; readonly text: string }
  | {
      readonly type: 'append' | 'finish';
      readonly message: string;
      readonly text: string;
      readonly owner: string;
    }
  | { readonly type: 'setHead' | 'show' | 'deleteMessages' | 'undeleteMessages'; readonly message: string }
  | { readonly type: 'stop'; readonly owner: string }
  | { readonly type: 'delete' | 'undelete' };

/** One chat, immutable. A change returns a new chat. */
export class ChatModel {
  /** In the order of addition. */
  readonly messages: readonly ModelMessage[];
  readonly head: string | undefined;
  /** By the id of the parent. */
  readonly shown: ReadonlyMap<string, string>;
  readonly isDeleted: boolean;
  /** Replies that were counted when they or their windows ended. */
  readonly counted: ReadonlySet<string>;

  constructor(from: Partial<ChatModel> = {}) {
    this.messages = from.messages ?? [];
    this.head = from.head;
    this.shown = from.shown ?? new Map();
    this.isDeleted = from.isDeleted ?? false;
    this.counted = from.counted ?? new Set();
  }

  get(id: string | undefined): ModelMessage | undefined {
    return this.messages.find((message) => message.id === id);
  }

  /** From the root to a message. */
  path(to = this.head): readonly ModelMessage[] {
    const message = this.get(to);
    return message ? [...(message.parent === undefined ? [] : this.path(message.parent)), message] : [];
  }

  after(change: Change): ChatModel {
    switch (change.type) {
      case 'ask':
        return this.#ask(change);
      case 'edit': {
        const edited = this.get(change.message);
        if (!edited) return this;
        const { id, text } = change;
        const { parent, role } = edited;
        const added = { id, parent, role, text, state: 'done', editOf: edited.id } as const;
        return this.#with({ messages: [...this.#restorePath(parent), added], isDeleted: false }).#show(id);
      }
      case 'append':
        return this.#own(change, (own) => ({ text: own.text + change.text, state: 'arriving' }));
      case 'finish':
        return this.#own(change, ({ owner: _, ...own }) => ({ ...own, text: change.text, state: 'done' }));
      case 'setHead':
        return this.#getExisting(change.message) ? this.#show(change.message) : this;
      case 'show':
        return this.#getExisting(change.message) ? this.#show(this.#leaf(change.message)) : this;
      case 'deleteMessages':
        return this.#delete(change.message);
      case 'undeleteMessages':
        return this.#undelete(change.message);
      case 'stop':
        return this.#stop(change.owner);
      case 'delete':
        return this.#with({ isDeleted: true });
      case 'undelete':
        return this.#with({ isDeleted: false });
    }
  }

  #ask({ parent, question, replies, owner }: Extract<Change, { type: 'ask' }>): ChatModel {
    if (parent !== undefined && !this.get(parent)) return this;
    const restored = this.#restorePath(parent);
    const questions = question ? [{ ...question, parent, role: 'user', state: 'done' } as const] : [];
    const below = question?.id ?? parent;
    const arriving = replies.map(
      (id) => ({ id, parent: below, role: 'assistant', text: '', state: 'arriving', owner }) as const,
    );
    const head = replies[0] ?? question?.id;
    const added = this.#with({ messages: [...restored, ...questions, ...arriving], isDeleted: false });
    return head === undefined ? added : added.#show(head);
  }

  /** The messages, after a message and its ancestors are restored. */
  #restorePath(to: string | undefined): readonly ModelMessage[] {
    const restored = new Set(this.path(to ?? '').map(({ id }) => id));
    return this.messages.map((message) => (restored.has(message.id) ? withoutDeletion(message) : message));
  }

  #own(
    { message, owner }: { readonly message: string; readonly owner: string },
    change: (own: ModelMessage) => Partial<ModelMessage>,
  ): ChatModel {
    const own = this.get(message);
    if (!own || own.owner !== owner) return this;
    const { owner: _, ...rest } = own;
    const changed = { ...rest, ...change(own) };
    const isDone = changed.state === 'done';
    return this.#with({
      messages: this.messages.map((each) =>
        each.id === message ? (isDone ? changed : { ...changed, owner }) : each,
      ),
      counted: isDone ? new Set([...this.counted, message]) : this.counted,
    });
  }

  #stop(owner: string): ChatModel {
    const isStopped = (message: ModelMessage) => message.state === 'arriving' && message.owner === owner;
    return this.#with({
      messages: this.messages.map((each) =>
        isStopped(each) ? { ...each, state: 'stopped' as const } : each,
      ),
      counted: new Set([...this.counted, ...this.messages.filter(isStopped).map(({ id }) => id)]),
    });
  }

  #delete(id: string): ChatModel {
    const root = this.#getExisting(id);
    if (!root) return this;
    const removed = new Set(
      this.messages.filter((each) => this.path(each.id).includes(root)).map((each) => each.id),
    );
    const deleted = this.#with({
      messages: this.messages.map((each) =>
        removed.has(each.id) && each.deletedWith === undefined ? { ...each, deletedWith: id } : each,
      ),
    });
    if (deleted.#getExisting(this.head) || this.head === undefined) return deleted;
    const sibling = deleted.#children(root.parent).at(-1);
    const head = sibling ? deleted.#leaf(sibling.id) : root.parent;
    return head === undefined ? new ChatModel({ ...deleted, head: undefined }) : deleted.#show(head);
  }

  #undelete(id: string): ChatModel {
    let back: ChatModel = this;
    for (const { id: deleted } of this.messages.filter((each) => each.deletedWith === id)) {
      const parent = back.get(back.get(deleted)?.parent);
      const messages = back.messages.map((each) => {
        if (each.id !== deleted) return each;
        return parent?.deletedWith === undefined
          ? withoutDeletion(each)
          : { ...each, deletedWith: parent.deletedWith };
      });
      back = back.#with({ messages });
    }
    const isRestored = this.messages.some(
      (each) => each.deletedWith !== undefined && back.get(each.id)?.deletedWith === undefined,
    );
    return isRestored && back.#getExisting(id) ? back.#show(back.#leaf(id)) : back;
  }

  #show(head: string): ChatModel {
    if (head === this.head) return this;
    const path = this.path(head).map(({ id }) => id);
    const shown = new Map(this.shown);
    path.forEach((id, nth) => {
      const parent = path[nth - 1];
      if (parent !== undefined) shown.set(parent, id);
    });
    return new ChatModel({ ...this, head, shown });
  }

  #leaf(id: string): string {
    const children = this.#children(id);
    const next = children.find((child) => child.id === this.shown.get(id)) ?? children.at(-1);
    return next ? this.#leaf(next.id) : id;
  }

  #children(parent: string | undefined): readonly ModelMessage[] {
    return this.messages.filter((each) => each.parent === parent && each.deletedWith === undefined);
  }

  #getExisting(id: string | undefined): ModelMessage | undefined {
    const message = this.get(id);
    return message?.deletedWith === undefined ? message : undefined;
  }

  #with(change: Partial<ChatModel>): ChatModel {
    return new ChatModel({ ...this, ...change });
  }
}

function withoutDeletion({ deletedWith: _, ...message }: ModelMessage): ModelMessage {
  return message;
}
