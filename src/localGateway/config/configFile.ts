import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { ZodError } from 'zod';
import { errorCode } from '../../base/errors.ts';
import { formatPath, listSchemaProblems } from '../http/schemaProblem.ts';
import { findNearestName } from '../upstreams/configNames.ts';
import { explainSecret } from '../upstreams/upstreamConfig.ts';
import { ConfigError, type GatewayConfig, gatewayConfig, listAllowedMembers } from './configSchema.ts';
import { type ConfigText, readConfigText, type TextPosition, type TextProblem } from './configText.ts';

/** The largest configuration file, in bytes. */
const maxBytes = 4 * 1024 * 1024;

/** A valid configuration, with the positions of its values for later messages. */
export interface LoadedConfig {
  readonly file: string;
  readonly config: GatewayConfig;
  /** Formats the position of a value as `file:line:column`, followed by its path. */
  describeLocation(...path: readonly PropertyKey[]): string;
}

/**
 * Reads and checks a configuration file.
 *
 * @throws {ConfigError}
 */
export function readConfig(file: string): LoadedConfig {
  return parseConfig(readText(file), file);
}

/**
 * Checks the text of a configuration.
 *
 * @param file the name for messages
 * @throws {ConfigError}
 */
export function parseConfig(content: string, file: string): LoadedConfig {
  const text = readConfigText(content);
  if (text.problems.length > 0) throw createConfigError(file, text.problems);
  const result = gatewayConfig.safeParse(text.value);
  if (!result.success) throw createConfigError(file, listProblems(result.error, text));
  return {
    file,
    config: result.data,
    describeLocation: (...path) => `${formatPosition(file, text.findPosition(path))} ${formatPath(path)}`,
  };
}

function listProblems(error: ZodError, text: ConfigText): readonly TextProblem[] {
  return error.issues.flatMap((issue) => {
    const { path } = issue;
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => describeUnknownMember([...path, key], key, text));
    return listSchemaProblems({ issues: [issue] }, text.value).map((problem) => ({
      ...problem,
      position: text.findPosition(problem.path),
    }));
  });
}

function describeUnknownMember(path: readonly PropertyKey[], name: string, text: ConfigText): TextProblem {
  const members = listAllowedMembers(path.slice(0, -1), text.value);
  const nearest = findNearestName(name, members);
  const problem =
    explainSecret({ code: 'unrecognized_keys', keys: [name] }) ??
    (nearest === undefined
      ? `there is no such field; the fields are ${members.filter((each) => each !== '$schema').join(', ')}`
      : `there is no such field; did you mean "${nearest}"?`);
  return { position: text.findPosition(path, true), path, problem };
}

function createConfigError(file: string, problems: readonly TextProblem[]): ConfigError {
  const lines = problems.map(({ position, path, problem }) => {
    const place = path.length === 0 ? 'the whole file' : formatPath(path);
    return `  ${formatPosition(file, position)} ${place}: ${problem}`;
  });
  return new ConfigError(`The configuration ${file} cannot be used:\n${lines.join('\n')}`);
}

/** Uses the format of compilers, which terminals and editors show as a link. */
function formatPosition(file: string, { line, column }: TextPosition): string {
  return `${file}:${line}:${column}`;
}

function describeReadError(file: string, code: string | undefined): string {
  if (code === 'ENOENT') return `There is no configuration ${resolve(file)}. Check the path.`;
  if (code === 'EISDIR') return `The configuration ${file} is a folder. Name the file in it.`;
  return `The configuration ${file} cannot be read (${code}).`;
}

function readText(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > maxBytes) throw new ConfigError(`The configuration ${file} is larger than 4 MiB.`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(describeReadError(file, errorCode(error)));
  }
}

/**
 * Refuses key commands in a file of a workspace, which other people may have written.
 *
 * @throws {ConfigError}
 */
export function refuseKeyCommandInWorkspace(loaded: LoadedConfig): void {
  const positions = loaded.config.upstreams.flatMap(({ keyCommand, keys = [] }, i) => [
    ...(keyCommand === undefined ? [] : [loaded.describeLocation('upstreams', i, 'keyCommand')]),
    ...keys.flatMap((key, nth) =>
      key.keyCommand === undefined
        ? []
        : [loaded.describeLocation('upstreams', i, 'keys', nth, 'keyCommand')],
    ),
  ]);
  const workspace = positions.length > 0 ? findWorkspace(loaded.file) : undefined;
  if (workspace === undefined) return;
  const reason = `keyCommand is not allowed in a file of the workspace ${workspace}. Move the configuration out of it, or use keyEnv`;
  const lines = positions.map((position) => `  ${position}: ${reason}`);
  throw new ConfigError(`The configuration ${loaded.file} cannot be used:\n${lines.join('\n')}`);
}

/** The marks of a workspace: files and folders that editors and version control create there. */
const workspaceMarks = ['.git', '.hg', '.svn', '.vscode', '.idea', '.devcontainer'];

/**
 * Finds the workspace that contains a file, or the file that it links to. It is the nearest parent folder with a
 * mark. Skips the home folder, because programs store settings there under the same names.
 */
export function findWorkspace(file: string, home = homedir()): string | undefined {
  const path = resolve(file);
  const homes = [home, resolveLinks(home)];
  return [path, resolveLinks(path)]
    .map((each) => findMarkedFolder(dirname(each), homes))
    .find((each) => each !== undefined);
}

function findMarkedFolder(folder: string, homes: readonly string[]): string | undefined {
  if (
    !homes.includes(folder) &&
    !homes.includes(resolveLinks(folder)) &&
    workspaceMarks.some((mark) => existsSync(join(folder, mark)))
  )
    return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findMarkedFolder(parent, homes);
}

function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
