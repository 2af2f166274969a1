import * as vscode from 'vscode';

function createListEvents() {
  return {
    changed: new vscode.EventEmitter<string>(),
    accepted: new vscode.EventEmitter<void>(),
    hidden: new vscode.EventEmitter<void>(),
    pressed: new vscode.EventEmitter<vscode.QuickInputButton>(),
  };
}

/** Plays the user of a quick pick that reacts to the typed text, in place of VS Code's own. */
export class TestQuickPick {
  items: readonly vscode.QuickPickItem[] = [];
  title = '';
  /** The label of the row that Enter accepts; the first one by default. */
  focused: string | undefined;
  /** Fires when the list opens, when its rows change, and when its busy state changes. */
  readonly onDidShow: vscode.Event<void>;
  isOpen = false;
  isBusy = false;
  readonly #create = vscode.window.createQuickPick;
  /** The listeners of the quick pick that opened last. A closed quick pick receives no more events. */
  #events = createListEvents();
  readonly #shown = new vscode.EventEmitter<void>();
  #value = '';

  constructor() {
    this.onDidShow = this.#shown.event;
    Object.assign(vscode.window, { createQuickPick: () => this.#createQuickPick() });
  }

  get labels(): readonly string[] {
    return this.items.map(({ label }) => label);
  }

  get value(): string {
    return this.#value;
  }

  type(text: string): void {
    this.#value = text;
    this.#events.changed.fire(text);
  }

  accept(): void {
    this.#events.accepted.fire();
  }

  hide(): void {
    this.#events.hidden.fire();
  }

  /** Presses the first button next to the title. */
  pressButton(): void {
    this.#events.pressed.fire({ iconPath: new vscode.ThemeIcon('blank') });
  }

  dispose(): void {
    Object.assign(vscode.window, { createQuickPick: this.#create });
  }

  #listFocused(): readonly vscode.QuickPickItem[] {
    const { focused, items } = this;
    const at = focused === undefined ? 0 : items.findIndex(({ label }) => label === focused);
    return items.slice(at, at + 1);
  }

  #createQuickPick(): vscode.QuickPick<vscode.QuickPickItem> {
    const list = this.#create.call(vscode.window);
    const events = createListEvents();
    this.#events = events;
    const setItems = (items: readonly vscode.QuickPickItem[]) => {
      this.items = items;
      this.#shown.fire();
    };
    const setBusy = (isBusy: boolean) => {
      this.isBusy = isBusy;
      this.#shown.fire();
    };
    const open = () => {
      this.isOpen = true;
      this.#shown.fire();
    };
    const dispose = list.dispose.bind(list);
    const close = () => {
      this.isOpen = false;
      dispose();
    };
    Object.defineProperties(list, {
      items: { get: () => this.items, set: setItems },
      activeItems: { get: () => this.#listFocused(), set: () => undefined },
      value: { get: () => this.#value, set: (text: string) => this.type(text) },
      title: { get: () => this.title, set: (title: string) => Object.assign(this, { title }) },
      onDidChangeValue: { value: events.changed.event },
      onDidAccept: { value: events.accepted.event },
      onDidHide: { value: events.hidden.event },
      onDidTriggerButton: { value: events.pressed.event },
      busy: { get: () => this.isBusy, set: setBusy },
      show: { value: open },
      dispose: { value: close },
    });
    return list;
  }
}
