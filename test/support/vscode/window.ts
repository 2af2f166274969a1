// `vscode.window` and the commands that change it. No window is displayed.
import type * as vscode from 'vscode';
import { addCommands } from './commands.ts';
import { openTextDocument } from './documents.ts';
import { onDidChangeTextEditorSelection } from './editors.ts';
import { hideInput, Input, showUnanswered } from './inputs.ts';
import { noEvent } from './noEvent.ts';
import { createWebviewPanel } from './pages.ts';
import {
  activateTab,
  activeEditor,
  activeTab,
  allTabs,
  closeTabs,
  editorEvents,
  openTab,
  showTextDocument,
  tabGroups,
  visibleEditors,
} from './tabs.ts';
import { CancellationTokenSource, Disposable, TabInputCustom, TabInputTextDiff } from './values.ts';
import { createOutputChannel, createStatusBarItem, createTerminal, TreeView } from './views.ts';

/** The result of a registration that has no effect. */
const registerNothing = () => new Disposable(() => {});

/** Never resolves, because the user presses no button. */
const showMessage = () => new Promise(() => {});

/** Runs a task with a progress that is not displayed. */
async function withProgress<T>(
  _options: vscode.ProgressOptions,
  task: (progress: vscode.Progress<object>, token: vscode.CancellationToken) => PromiseLike<T>,
): Promise<T> {
  return task({ report: () => {} }, new CancellationTokenSource().token);
}

/** The namespace `window` of the module. */
export const window = {
  state: { focused: true, active: true },
  onDidChangeWindowState: noEvent,
  activeColorTheme: { kind: 2 },
  onDidChangeActiveColorTheme: noEvent,

  get activeTextEditor(): vscode.TextEditor | undefined {
    return activeEditor();
  },
  get visibleTextEditors(): readonly vscode.TextEditor[] {
    return visibleEditors();
  },
  ...editorEvents,
  onDidChangeTextEditorSelection,
  tabGroups,
  showTextDocument,
  createWebviewPanel,
  registerWebviewPanelSerializer: registerNothing,

  showInformationMessage: showMessage,
  showWarningMessage: showMessage,
  showErrorMessage: showMessage,
  showQuickPick: showUnanswered,
  showInputBox: showUnanswered,
  showOpenDialog: async () => undefined,
  showSaveDialog: async () => undefined,
  createQuickPick: () => new Input(),
  createInputBox: () => new Input(),

  withProgress,
  setStatusBarMessage: registerNothing,
  createStatusBarItem,
  createOutputChannel,
  createTreeView: <T>(id: string, { treeDataProvider }: vscode.TreeViewOptions<T>) =>
    new TreeView(id, treeDataProvider),
  registerWebviewViewProvider: registerNothing,
  registerFileDecorationProvider: registerNothing,
  registerUriHandler: registerNothing,

  activeTerminal: undefined,
  terminals: [],
  createTerminal,
  onDidChangeTerminalShellIntegration: noEvent,
  onDidChangeActiveTerminal: noEvent,
  onDidCloseTerminal: noEvent,
  onDidStartTerminalShellExecution: noEvent,
  onDidEndTerminalShellExecution: noEvent,
};

function closeActiveTab(): void {
  const tab = activeTab();
  if (tab) closeTabs([tab]);
}

addCommands({
  'workbench.action.closeAllEditors': () => closeTabs(allTabs()),
  'workbench.action.closeActiveEditor': closeActiveTab,
  'workbench.action.revertAndCloseActiveEditor': closeActiveTab,
  'workbench.action.files.revert': async () => {
    await activeTab()?.content.document?.revert();
  },
  // Files are opened in a certain column here, so a lock has no effect.
  'workbench.action.lockEditorGroup': () => {},
  'workbench.action.closeSidebar': () => {},
  'workbench.action.closeQuickOpen': hideInput,
  undo: () => activeTab()?.content.document?.undo(),
  'vscode.open': async (uri, options) => {
    await showTextDocument(uri as vscode.Uri, options as vscode.TextDocumentShowOptions);
  },
  'vscode.openWith': (uri, viewType) => {
    const { scheme, path } = uri as vscode.Uri;
    const label = path.split('/').at(-1) ?? scheme;
    const known = allTabs().find(
      ({ input }) => input instanceof TabInputCustom && String(input.uri) === String(uri),
    );
    if (known) return activateTab(known);
    void openTextDocument(uri as vscode.Uri);
    openTab(label, { input: new TabInputCustom(uri as vscode.Uri, String(viewType)) });
  },
  'vscode.diff': async (original, modified, label) => {
    const document = await openTextDocument(modified as vscode.Uri);
    await openTextDocument(original as vscode.Uri);
    const input = new TabInputTextDiff(original as vscode.Uri, modified as vscode.Uri);
    openTab(String(label), { input, document });
  },
});
