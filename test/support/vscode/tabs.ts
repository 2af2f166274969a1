// Tabs and their groups: opens, activates, moves and closes tabs.
import type * as vscode from 'vscode';
import { URI } from 'vscode-uri';
import { closeDocument, type Document, openTextDocument } from './documents.ts';
import { Editor } from './editors.ts';
import { EventEmitter, type Position, Selection, TabInputText, ViewColumn } from './values.ts';

const changedTabs = new EventEmitter<vscode.TabChangeEvent>();
const changedEditor = new EventEmitter<vscode.TextEditor | undefined>();
const changedActiveTabs = new EventEmitter<void>();
const changedVisible = new EventEmitter<readonly vscode.TextEditor[]>();

/** Fires when other tabs may be active, before the events about editors. */
export const onDidChangeActiveTabs = changedActiveTabs.event;

/** The events of `window` about the editors of active tabs. */
export const editorEvents = {
  onDidChangeActiveTextEditor: changedEditor.event,
  onDidChangeVisibleTextEditors: changedVisible.event,
};

/** The tabs of one column. */
class Group {
  readonly viewColumn: number;
  tabs: Tab[] = [];
  /** The tabs in the order of their last activation, the active one first. */
  recent: Tab[] = [];

  constructor(viewColumn: number) {
    this.viewColumn = viewColumn;
  }

  get activeTab(): Tab | undefined {
    return this.recent[0];
  }

  get isActive(): boolean {
    return activeGroup === this;
  }

  remove(removed: readonly Tab[]): void {
    this.tabs = this.tabs.filter((tab) => !removed.includes(tab));
    this.recent = this.recent.filter((tab) => !removed.includes(tab));
  }
}

interface TabContent {
  readonly input: object;
  readonly document?: Document | undefined;
  readonly onClosed?: () => void;
}

/** A tab with a text document, a page, or another input. */
export class Tab {
  group: Group;
  label: string;
  readonly content: TabContent;
  readonly isPinned = false;
  /** Whether the tab was opened as a preview. */
  wasPreview = false;
  editor: Editor | undefined;

  constructor(group: Group, label: string, content: TabContent) {
    [this.group, this.label, this.content] = [group, label, content];
    if (content.document) this.editor = new Editor(content.document, this);
  }

  get input(): object {
    return this.content.input;
  }

  get isActive(): boolean {
    return this.group.activeTab === this;
  }

  get isDirty(): boolean {
    return this.content.document?.isDirty ?? false;
  }

  /** Whether the next preview in the group replaces the tab, which must not lose unsaved edits. */
  get isPreview(): boolean {
    return this.wasPreview && !this.isDirty;
  }
}

let groups: Group[] = [new Group(1)];
let activeGroup = groups[0] as Group;

/** Finds the group of a column, or adds it. */
function findGroup(column: number = ViewColumn.Active): Group {
  const target = column === ViewColumn.Beside ? activeGroup.viewColumn + 1 : column;
  if (target < 1) return activeGroup;
  const known = groups.find(({ viewColumn }) => viewColumn === target);
  if (known) return known;
  const added = new Group(groups.length + 1);
  groups = [...groups, added];
  return added;
}

/** All tabs of all groups. */
export function allTabs(): readonly Tab[] {
  return groups.flatMap(({ tabs }) => tabs);
}

/** The active tab of the active group. */
export function activeTab(): Tab | undefined {
  return activeGroup.activeTab;
}

/** The text editor of the active tab. */
export function activeEditor(): vscode.TextEditor | undefined {
  return activeTab()?.editor as unknown as vscode.TextEditor | undefined;
}

/** The text editors of the active tabs of all groups. */
export function visibleEditors(): readonly vscode.TextEditor[] {
  const editors = groups.flatMap((group) => group.activeTab?.editor ?? []);
  return editors as unknown as readonly vscode.TextEditor[];
}

interface Active {
  readonly editor: vscode.TextEditor | undefined;
  readonly tab: Tab | undefined;
}

/** Reads the active tab and editor, to detect later changes. */
function readActive(): Active {
  return { editor: activeEditor(), tab: activeTab() };
}

/** Fires the events about active tabs and their editors. */
function fireActiveChanges(before: Active): void {
  changedActiveTabs.fire();
  const editor = activeEditor();
  if (editor !== before.editor) changedEditor.fire(editor);
  changedVisible.fire(visibleEditors());
}

function fireTabs(change: Partial<Record<'opened' | 'closed' | 'changed', readonly Tab[]>>): void {
  const event = { opened: [], closed: [], changed: [], ...change };
  changedTabs.fire(event as unknown as vscode.TabChangeEvent);
}

/** Makes a tab the active one of its group, and its group the active one unless it preserves the focus. */
export function activateTab(tab: Tab, preserveFocus = false): void {
  const before = readActive();
  const { group } = tab;
  group.recent = [tab, ...group.recent.filter((each) => each !== tab)];
  if (!preserveFocus) activeGroup = group;
  if (before.tab !== tab) fireTabs({ changed: [tab] });
  fireActiveChanges(before);
}

/** Opens and activates a tab at the end of a group. */
export function openTab(label: string, content: TabContent, column?: number, preserveFocus?: boolean): Tab {
  const group = findGroup(column);
  const tab = new Tab(group, label, content);
  group.tabs.push(tab);
  group.recent.push(tab);
  fireTabs({ opened: [tab] });
  activateTab(tab, preserveFocus);
  return tab;
}

/** Moves a tab to the end of the group of a column, without activating it. */
export function moveTab(tab: Tab, column: number): void {
  const group = findGroup(column);
  if (group === tab.group) return;
  tab.group.remove([tab]);
  tab.group = group;
  group.tabs.push(tab);
}

/** Changes the label of a tab. */
export function renameTab(tab: Tab, label: string): void {
  if (label === tab.label) return;
  tab.label = label;
  // In VS Code, the event arrives after the assignment of a title.
  setImmediate(() => fireTabs({ changed: [tab] }));
}

/** Closes tabs, groups without tabs, and documents without tabs. */
export function closeTabs(closing: readonly Tab[]): void {
  if (closing.length === 0) return;
  const before = readActive();
  for (const { group } of closing) group.remove(closing);
  const [first] = groups;
  const nonEmpty = groups.filter(({ tabs }) => tabs.length > 0);
  groups = nonEmpty.length > 0 ? nonEmpty : [first as Group];
  if (!groups.includes(activeGroup)) activeGroup = groups.at(-1) as Group;
  fireTabs({ closed: closing });
  for (const { content } of closing) {
    content.onClosed?.();
    const { document } = content;
    const isOpen = allTabs().some((tab) => tab.content.document === document);
    if (document && !isOpen) closeDocument(document.uri);
  }
  fireActiveChanges(before);
}

/** Opens a document in a tab, or activates the tab that already has it. */
export async function showTextDocument(
  source: vscode.TextDocument | vscode.Uri,
  columnOrOptions: number | vscode.TextDocumentShowOptions = {},
): Promise<vscode.TextEditor> {
  const options: vscode.TextDocumentShowOptions =
    typeof columnOrOptions === 'number' ? { viewColumn: columnOrOptions } : columnOrOptions;
  const { viewColumn: column, preserveFocus, preview: isPreview = true, selection } = options;
  const document = (URI.isUri(source) ? await openTextDocument(source) : source) as Document;
  const showsDocument = (tab: Tab) =>
    tab.content.document === document && (column === undefined || tab.group === findGroup(column));
  const known = activeGroup.tabs.find(showsDocument) ?? allTabs().find(showsDocument);
  const previews = isPreview ? findGroup(column).tabs.filter((tab) => tab.isPreview && tab !== known) : [];
  const label = document.fileName.split('/').at(-1) ?? '';
  const content = { input: new TabInputText(document.uri), document };
  const tab = known ?? openTab(label, content, column, preserveFocus);
  if (!known || !isPreview) tab.wasPreview = isPreview;
  closeTabs(previews);
  activateTab(tab, preserveFocus);
  const editor = tab.editor as unknown as vscode.TextEditor;
  if (selection) {
    const { start, end } = selection;
    editor.selection = new Selection(start as Position, end as Position) as vscode.Selection;
  }
  return editor;
}

/** The property `window.tabGroups`. */
export const tabGroups = {
  get all() {
    return groups;
  },
  get activeTabGroup() {
    return activeGroup;
  },
  onDidChangeTabs: changedTabs.event,
  onDidChangeTabGroups: new EventEmitter<vscode.TabGroupChangeEvent>().event,
  async close(closing: Tab | readonly Tab[]): Promise<boolean> {
    closeTabs([closing].flat() as readonly Tab[]);
    return true;
  },
};
