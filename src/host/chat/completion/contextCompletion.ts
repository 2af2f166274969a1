import * as vscode from 'vscode';
import * as z from 'zod';
import { parseJson } from '../../../base/json.ts';
import type { CompletionItem } from '../../../protocol/completion.ts';
import { visibleText } from '../../kit/display/plainText.ts';
import {
  addFiles,
  addReference,
  addReferences,
  type NewReference,
  selectionsOf,
} from '../context/addContext.ts';
import { displayPath, referenceName } from '../context/contextReference.ts';
import { findFiles } from '../context/findFiles.ts';
import { gitRepositories } from '../context/gitRepositories.ts';
import { type FoundSymbol, findSymbols, symbolReference } from '../context/symbolContext.ts';
import type { ChatSession } from '../session/chatSession.ts';
import type { CompletionProvider } from './completions.ts';

const symbolPrefix = 'sym:';

/** The timeout for git to find the repositories, in milliseconds: the list must open quickly. */
const gitTimeoutMs = 500;

const uri = z.string().max(8192);
const count = z.int().min(0);

/** The data of an item. Its JSON text is the item's id. */
const choiceSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('selection') }),
  z.strictObject({ kind: z.literal('file'), uri }),
  z.strictObject({ kind: z.literal('problems') }),
  z.strictObject({ kind: z.literal('changes'), repository: uri }),
  z.strictObject({ kind: z.literal('symbol'), name: z.string(), uri, line: count, character: count }),
]);

type Choice = Readonly<z.infer<typeof choiceSchema>>;

/** Suggests context for the question after `#`. */
export class ContextCompletion implements CompletionProvider {
  readonly trigger = { character: '#', where: 'word' } as const;
  readonly #editor: () => vscode.TextEditor | undefined;

  /** @param editor the last used text editor */
  constructor(editor: () => vscode.TextEditor | undefined) {
    this.#editor = editor;
  }

  async complete(
    query: string,
    _session: ChatSession,
    signal: AbortSignal,
  ): Promise<readonly CompletionItem[]> {
    if (query.startsWith(symbolPrefix)) return symbolItems(query.slice(symbolPrefix.length));
    // A number probably refers to an issue.
    if (/^\d+$/.test(query)) return [];
    const kinds = await this.#kinds();
    const typed = query.toLowerCase();
    const matching = kinds.filter(({ label }) => label.toLowerCase().startsWith(typed));
    const files = await findFiles(query, signal).catch(() => []);
    return [...matching, ...files.map(fileItem)];
  }

  async accept(id: string, { unsent }: ChatSession): Promise<void> {
    const chosen = choiceSchema.safeParse(parseJson(id)).data;
    switch (chosen?.kind) {
      case 'selection':
        await addReferences(unsent, this.#selections());
        return;
      case 'file':
        await addFiles(unsent, [vscode.Uri.parse(chosen.uri)]);
        return;
      case 'symbol': {
        const position = new vscode.Position(chosen.line, chosen.character);
        const symbol = { name: chosen.name, uri: vscode.Uri.parse(chosen.uri), position };
        await addReference(unsent, await symbolReference(symbol));
        return;
      }
      case 'problems':
      case 'changes':
        await addReference(unsent, chosen);
        return;
      default:
        return;
    }
  }

  #selections(): readonly NewReference[] {
    const editor = this.#editor();
    return editor ? selectionsOf(editor) : [];
  }

  async #kinds(): Promise<readonly CompletionItem[]> {
    const selections = this.#selections();
    const problems = vscode.languages.getDiagnostics().some(([, some]) => some.length > 0);
    const repositories = await gitRepositories(gitTimeoutMs);
    return [
      ...(selections.length > 0 ? [selectionItem(selections)] : []),
      ...(problems ? [referenceItem({ kind: 'problems' }, 'list-flat')] : []),
      ...repositories.map(({ rootUri }) =>
        referenceItem({ kind: 'changes', repository: rootUri.toString() }, 'diff'),
      ),
      {
        ...{ id: 'symbol', label: vscode.l10n.t('Symbol…'), icon: 'symbol-method' },
        continuesAs: `#${symbolPrefix}`,
      },
    ];
  }
}

function selectionItem(selections: readonly NewReference[]): CompletionItem {
  const [first] = selections;
  const name = first?.kind === 'file' ? referenceName({ ...first, seen: '' }) : '';
  const description = selections.length === 1 ? name : vscode.l10n.t('{0} selections', selections.length);
  return {
    ...{ id: idOf({ kind: 'selection' }), label: vscode.l10n.t('Selection'), icon: 'selection' },
    description: visibleText(description),
  };
}

function referenceItem(reference: Choice & { kind: 'problems' | 'changes' }, icon: string): CompletionItem {
  return { id: idOf(reference), label: visibleText(referenceName(reference)), icon };
}

function fileItem(uri: vscode.Uri): CompletionItem {
  const parts = visibleText(displayPath(uri)).split('/');
  return {
    ...{ id: idOf({ kind: 'file', uri: uri.toString() }), label: parts.at(-1) ?? '' },
    ...{ description: parts.slice(0, -1).join('/'), icon: 'file' },
  };
}

async function symbolItems(typed: string): Promise<readonly CompletionItem[]> {
  if (typed === '') return [messageItem(vscode.l10n.t('Type part of the name'), symbolPrefix), filesItem('')];
  const found = await findSymbols(typed);
  if (found.length > 0) return found.map(symbolItem);
  const none = vscode.l10n.t('There is no such symbol, or no extension for its language.');
  return [messageItem(none, symbolPrefix + typed), filesItem(typed)];
}

/** A message instead of suggestions. Choosing it changes nothing. */
function messageItem(label: string, typed: string): CompletionItem {
  return { id: 'advice', label, icon: 'info', continuesAs: `#${typed}` };
}

/** An item that switches to the files that match the typed text. */
function filesItem(typed: string): CompletionItem {
  return { id: 'files', label: vscode.l10n.t('File…'), icon: 'file', continuesAs: `#${typed}` };
}

function symbolItem({ name, location, uri, position }: FoundSymbol): CompletionItem {
  const { line, character } = position;
  return {
    id: idOf({ kind: 'symbol', name, uri: uri.toString(), line, character }),
    ...{ label: visibleText(name), description: visibleText(location), icon: 'symbol-method' },
  };
}

function idOf(chosen: Choice): string {
  return JSON.stringify(chosen);
}
