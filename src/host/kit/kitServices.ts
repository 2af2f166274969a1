import type * as vscode from 'vscode';
import { LastEditor } from './display/lastEditor.ts';
import { Log } from './display/log.ts';
import { TextDocuments } from './display/textDocuments.ts';
import { type CommandId, setContextKey } from './manifest/contributions.ts';

/** The services that all features use. */
export interface KitServices {
  readonly log: Log;
  /** The storage that all windows of this machine share. */
  readonly memory: vscode.Memento;
  readonly editor: LastEditor;
  readonly documents: TextDocuments;
  readonly usedViews: UsedViews;
}

/** Registers a service. VS Code disposes all services with the extension, in the order of registration. */
export function disposeWithExtension<Service extends vscode.Disposable>(
  { subscriptions }: vscode.ExtensionContext,
  service: Service,
): Service {
  subscriptions.push(service);
  return service;
}

export function createKitServices(context: vscode.ExtensionContext): KitServices {
  return {
    log: disposeWithExtension(context, new Log()),
    memory: context.globalState,
    editor: disposeWithExtension(context, new LastEditor()),
    documents: disposeWithExtension(context, new TextDocuments()),
    usedViews: new UsedViews(context.globalState),
  };
}

/** The views that are hidden until one of their commands is used. Each has a pattern for the ids of its commands. */
const hiddenViews = [
  { commands: /^(?:tasks\.|generate)/, key: 'usesTasks' },
  { commands: /^requests\./, key: 'usesRequests' },
  { commands: /^localGateway\./, key: 'usesLocalGateway' },
] as const;

const memoryKey = 'usedViews';

/** Stores which initially hidden views were used. These views are always shown in the side bar. */
class UsedViews {
  readonly #state: vscode.Memento;

  /** @param state the storage that all windows share */
  constructor(state: vscode.Memento) {
    this.#state = state;
    for (const key of this.#used) setContextKey(key, true);
  }

  /** Shows the view that a command belongs to. */
  recordUse(command: CommandId): void {
    const view = hiddenViews.find(({ commands }) => commands.test(command));
    if (!view || this.#used.includes(view.key)) return;
    setContextKey(view.key, true);
    void this.#state.update(memoryKey, [...this.#used, view.key]);
  }

  get #used(): readonly (typeof hiddenViews)[number]['key'][] {
    const used = this.#state.get<unknown>(memoryKey);
    return hiddenViews.map(({ key }) => key).filter((key) => Array.isArray(used) && used.includes(key));
  }
}
