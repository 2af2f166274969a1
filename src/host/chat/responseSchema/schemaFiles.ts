import * as vscode from 'vscode';
import { type JsonObject, parseJson, sameJson } from '../../../base/json.ts';
import {
  type ChatParameters,
  withCommonParameter,
} from '../../../conversations/conversation/chatParameters.ts';
import type { ReplyChecker } from '../../../conversations/schemaCheck/replyChecker.ts';
import { showDocument } from '../../kit/display/editors.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { ChatSession } from '../session/chatSession.ts';
import { describeSchemaProblem } from './schemaCheckViews.ts';

export const schemaScheme = 'model-gateway-schema';

/** The name of a schema file. VS Code suggests JSON Schema keywords in files with such names. */
const fileName = 'response.schema.json';

/** The maximum length of a schema, in UTF-16 units. */
const maxSchemaLength = 1024 * 1024;

/** The initial text for a chat without a schema. */
const exampleSchema = {
  type: 'object',
  properties: { answer: { type: 'string', description: '' } },
  required: ['answer'],
  additionalProperties: false,
};

/** The chats whose schemas are edited. */
export interface SchemaChats {
  readonly listOpen: () => readonly ChatSession[];
  /** Reads the schema of a chat that is not open; undefined if the chat does not exist. */
  readonly readStoredSchema: (id: string) => Promise<{ readonly schema: JsonObject | undefined } | undefined>;
  /** Opens a chat; undefined if the chat does not exist. */
  readonly openChat: (id: string) => Promise<ChatSession | undefined>;
}

/**
 * The response schemas of chats as files. Saving a file applies the schema to its chat; saving an empty file
 * removes the schema.
 */
export class SchemaFiles implements vscode.FileSystemProvider {
  readonly #chats: SchemaChats;
  readonly #checker: ReplyChecker;
  readonly #registration: vscode.Disposable;
  readonly #onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#onDidChangeFile.event;
  /** The last saved texts by the ids of the chats. */
  readonly #savedTexts = new Map<string, string>();
  /** The last change of each file's content, by its path. */
  readonly #changes = new Map<string, { readonly text: string; readonly mtime: number }>();

  constructor(chats: SchemaChats, checker: ReplyChecker) {
    this.#chats = chats;
    this.#checker = checker;
    this.#registration = vscode.workspace.registerFileSystemProvider(schemaScheme, this, {
      isCaseSensitive: true,
    });
  }

  /** Shows the schema of a chat in an editor. */
  async open(session: ChatSession): Promise<void> {
    const isNew = readSchema(session) === undefined;
    if (isNew) this.#savedTexts.delete(session.id);
    const uri = vscode.Uri.from({ scheme: schemaScheme, path: `/${session.id}/${fileName}` });
    // An editor that is already open then reads the current schema.
    this.#onDidChangeFile.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    await showDocument(uri, { preview: false, viewColumn: vscode.ViewColumn.Beside });
    showStatusMessage(
      isNew
        ? vscode.l10n.t('Save the schema to use it in this chat')
        : vscode.l10n.t('Save an empty file to remove the schema from this chat'),
    );
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const text = await this.#readText(uri);
    const lastChange = this.#changes.get(uri.path);
    const mtime =
      lastChange?.text === text ? lastChange.mtime : Math.max(Date.now(), (lastChange?.mtime ?? 0) + 1);
    this.#changes.set(uri.path, { text, mtime });
    return { type: vscode.FileType.File, ctime: 0, mtime, size: Buffer.byteLength(text) };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return new TextEncoder().encode(await this.#readText(uri));
  }

  /**
   * Applies a schema to its chat, or removes the chat's schema if the content is blank. Opens the chat unless it
   * is already open.
   *
   * @throws {vscode.FileSystemError} for an invalid schema, without changing the schema of the chat
   */
  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const text = new TextDecoder().decode(content);
    if (text.length > maxSchemaLength)
      throw new vscode.FileSystemError(
        vscode.l10n.t(
          'A schema can have at most {0} characters.',
          maxSchemaLength.toLocaleString(vscode.env.language),
        ),
      );
    const schema = text.trim() === '' ? undefined : await this.#parseSchema(text);
    const id = parseChatId(uri);
    const session = this.#findOpenChat(id) ?? (await this.#chats.openChat(id));
    if (!session) throw vscode.FileSystemError.FileNotFound(uri);
    this.#savedTexts.set(session.id, text);
    const { parameters, model } = session.target;
    parameters.choose(withResponseSchema(parameters.getForModel(model), schema), 'other');
    showStatusMessage(
      schema
        ? vscode.l10n.t('The next question of the chat uses this schema')
        : vscode.l10n.t('Removed the response schema of this chat'),
    );
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  dispose(): void {
    this.#registration.dispose();
    this.#onDidChangeFile.dispose();
  }

  /** @throws {vscode.FileSystemError} for an invalid schema */
  async #parseSchema(text: string): Promise<JsonObject> {
    const problem = await this.#checker.findSchemaProblem(text);
    if (problem) throw new vscode.FileSystemError(describeSchemaProblem(problem));
    // The checker has refused all other JSON values.
    return parseJson(text) as JsonObject;
  }

  #findOpenChat(id: string): ChatSession | undefined {
    return this.#chats.listOpen().find((each) => each.id === id);
  }

  async #readText(uri: vscode.Uri): Promise<string> {
    const id = parseChatId(uri);
    const session = this.#findOpenChat(id);
    const found = session ? { schema: readSchema(session) } : await this.#chats.readStoredSchema(id);
    if (!found) throw vscode.FileSystemError.FileNotFound(uri);
    const { schema } = found;
    const saved = this.#savedTexts.get(id);
    if (saved !== undefined && sameJson(parseJson(saved), schema)) return saved;
    return `${JSON.stringify(schema ?? exampleSchema, null, 2)}\n`;
  }
}

/** Sets or removes the schema, together with the response format that requires it. */
function withResponseSchema(before: ChatParameters, schema: JsonObject | undefined): ChatParameters {
  const changed = withCommonParameter(before, 'responseSchema', schema);
  if (!schema && before.common.responseFormat !== 'json_schema') return changed;
  return withCommonParameter(changed, 'responseFormat', schema && 'json_schema');
}

/** @throws {vscode.FileSystemError} for a file with another name */
function parseChatId(uri: vscode.Uri): string {
  const [, id, name] = uri.path.split('/');
  if (id === undefined || name !== fileName) throw vscode.FileSystemError.FileNotFound(uri);
  return id;
}

function readSchema({ target: { parameters, model } }: ChatSession) {
  return parameters.getForModel(model).common.responseSchema;
}
