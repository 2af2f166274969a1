import * as vscode from 'vscode';
import * as z from 'zod';
import { parseJson } from '../../../base/json.ts';
import type { CompletionItem } from '../../../protocol/completion.ts';
import { removeHidden } from '../../kit/display/plainText.ts';
import { addFiles, addReferences, type NewReference, readSelections } from '../context/addContext.ts';
import { formatDisplayPath, formatReferenceName } from '../context/contextReference.ts';
import { findFiles } from '../context/findFiles.ts';
import { findGitRepositories } from '../context/gitRepositories.ts';
import { createSymbolReference, type FoundSymbol, findSymbols } from '../context/symbolContext.ts';
import type { ChatSession } from '../session/chatSession.ts';
import type { CompletionProvider } from './completions.ts';

const symbolPrefix = 'sym:';

/** The timeout for finding the git repositories, in milliseconds. It is short, because the list must open quickly. */
const gitTimeoutMs = 500;

const uriSchema = z.string().max(8192);
const positionSchema = z.int().min(0);

/** The context that an item adds. Its JSON text is the item's id. */
const choiceSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('selection') }),
  z.strictObject({ kind: z.literal('file'), uri: uriSchema }),
  z.strictObject({ kind: z.literal('problems') }),
  z.strictObject({ kind: z.literal('changes'), repository: uriSchema }),
  z.strictObject({
    kind: z.literal('symbol'),
    name: z.string(),
    uri: uriSchema,
    line: positionSchema,
    character: positionSchema,
  }),
]);

type ContextChoice = Readonly<z.infer<typeof choiceSchema>>;

/** Suggests context for the question after `#`. */
export class ContextCompletion implements CompletionProvider {
  readonly trigger = { character: '#', where: 'word' } as const;
  readonly #getEditor: () => vscode.TextEditor | undefined;

  /** @param getEditor returns the last used text editor */
  constructor(getEditor: () => vscode.TextEditor | undefined) {
    this.#getEditor = getEditor;
  }

  async complete(
    query: string,
    _session: ChatSession,
    signal: AbortSignal,
  ): Promise<readonly CompletionItem[]> {
    if (query.startsWith(symbolPrefix)) return findSymbolItems(query.slice(symbolPrefix.length));
    // A number after `#` probably refers to an issue.
    if (/^\d+$/.test(query)) return [];
    const kindItems = await this.#listKindItems();
    const typed = query.toLowerCase();
    const matching = kindItems.filter(({ label }) => label.toLowerCase().startsWith(typed));
    const files = await findFiles(query, signal).catch(() => []);
    return [...matching, ...files.map(createFileItem)];
  }

  async accept(id: string, { unsent }: ChatSession): Promise<void> {
    const chosen = choiceSchema.safeParse(parseJson(id)).data;
    switch (chosen?.kind) {
      case 'selection':
        await addReferences(unsent, this.#readSelections());
        return;
      case 'file':
        await addFiles(unsent, [vscode.Uri.parse(chosen.uri)]);
        return;
      case 'symbol': {
        const position = new vscode.Position(chosen.line, chosen.character);
        const symbol = { name: chosen.name, uri: vscode.Uri.parse(chosen.uri), position };
        await addReferences(unsent, [await createSymbolReference(symbol)]);
        return;
      }
      case 'problems':
      case 'changes':
        await addReferences(unsent, [chosen]);
        return;
      default:
        return;
    }
  }

  #readSelections(): readonly NewReference[] {
    const editor = this.#getEditor();
    return editor ? readSelections(editor) : [];
  }

  async #listKindItems(): Promise<readonly CompletionItem[]> {
    const selections = this.#readSelections();
    const hasProblems = vscode.languages.getDiagnostics().some(([, diagnostics]) => diagnostics.length > 0);
    const repositories = await findGitRepositories(gitTimeoutMs);
    return [
      ...(selections.length > 0 ? [createSelectionItem(selections)] : []),
      ...(hasProblems ? [createReferenceItem({ kind: 'problems' }, 'list-flat')] : []),
      ...repositories.map(({ rootUri }) =>
        createReferenceItem({ kind: 'changes', repository: rootUri.toString() }, 'diff'),
      ),
      {
        id: 'symbol',
        label: vscode.l10n.t('Symbol…'),
        icon: 'symbol-method',
        continuesAs: `#${symbolPrefix}`,
      },
    ];
  }
}

function createSelectionItem(selections: readonly NewReference[]): CompletionItem {
  const [first] = selections;
  const name = first?.kind === 'file' ? formatReferenceName({ ...first, digest: '' }) : '';
  const description = selections.length === 1 ? name : vscode.l10n.t('{0} selections', selections.length);
  return {
    id: encodeId({ kind: 'selection' }),
    label: vscode.l10n.t('Selection'),
    icon: 'selection',
    description: removeHidden(description),
  };
}

function createReferenceItem(
  reference: ContextChoice & { kind: 'problems' | 'changes' },
  icon: string,
): CompletionItem {
  return { id: encodeId(reference), label: removeHidden(formatReferenceName(reference)), icon };
}

function createFileItem(uri: vscode.Uri): CompletionItem {
  const parts = removeHidden(formatDisplayPath(uri)).split('/');
  return {
    id: encodeId({ kind: 'file', uri: uri.toString() }),
    label: parts.at(-1) ?? '',
    description: parts.slice(0, -1).join('/'),
    icon: 'file',
  };
}

async function findSymbolItems(typed: string): Promise<readonly CompletionItem[]> {
  if (typed === '')
    return [createMessageItem(vscode.l10n.t('Type part of the name'), symbolPrefix), createFilesItem('')];
  const found = await findSymbols(typed);
  if (found.length > 0) return found.map(createSymbolItem);
  const notFound = vscode.l10n.t('There is no such symbol, or no extension for its language.');
  return [createMessageItem(notFound, symbolPrefix + typed), createFilesItem(typed)];
}

/** Creates an item that shows a message. Choosing the item has no effect. */
function createMessageItem(label: string, typed: string): CompletionItem {
  return { id: 'advice', label, icon: 'info', continuesAs: `#${typed}` };
}

/** Creates an item that switches to the files that match the typed text. */
function createFilesItem(typed: string): CompletionItem {
  return { id: 'files', label: vscode.l10n.t('File…'), icon: 'file', continuesAs: `#${typed}` };
}

function createSymbolItem({ name, location, uri, position }: FoundSymbol): CompletionItem {
  const { line, character } = position;
  return {
    id: encodeId({ kind: 'symbol', name, uri: uri.toString(), line, character }),
    label: removeHidden(name),
    description: removeHidden(location),
    icon: 'symbol-method',
  };
}

function encodeId(chosen: ContextChoice): string {
  return JSON.stringify(chosen);
}
