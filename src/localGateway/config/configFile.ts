import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ZodError } from 'zod';
import { errorCode } from '../../base/errors.ts';
import { pathText, schemaProblems } from '../http/schemaProblem.ts';
import { explainSecret } from '../upstreams/upstreamConfig.ts';
import { ConfigError } from './configError.ts';
import { nearestName } from './configNames.ts';
import { allowedMembers, type GatewayConfig, gatewayConfig } from './configSchema.ts';
import { type ConfigText, readConfigText, type TextPosition, type TextProblem } from './configText.ts';

/** The largest configuration file, in bytes. */
const maxBytes = 4 * 1024 * 1024;

/** A configuration that was read, with the positions of its values for later messages. */
export interface LoadedConfig {
  readonly file: string;
  readonly config: GatewayConfig;
  /** `file:line:column` of a value, and its path. */
  locationOf(...path: readonly PropertyKey[]): string;
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
 * @param file the name for messages
 * @throws {ConfigError}
 */
export function parseConfig(content: string, file: string): LoadedConfig {
  const text = readConfigText(content);
  if (text.problems.length > 0) throw unusable(file, text.problems);
  const result = gatewayConfig.safeParse(text.value);
  if (!result.success) throw unusable(file, problemsOf(result.error, text));
  return {
    file,
    config: result.data,
    locationOf: (...path) => `${positionText(file, text.positionOf(path))} ${pathText(path)}`,
  };
}

function problemsOf(error: ZodError, text: ConfigText): readonly TextProblem[] {
  return error.issues.flatMap((issue) => {
    const { path } = issue;
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => unknownMember([...path, key], key, text));
    return schemaProblems({ issues: [issue] }, text.value).map((each) => ({
      position: text.positionOf(each.path),
      path: each.path,
      problem: each.problem,
    }));
  });
}

function unknownMember(path: readonly PropertyKey[], name: string, text: ConfigText): TextProblem {
  const members = allowedMembers(path.slice(0, -1), text.value);
  const nearest = nearestName(name, members);
  const problem =
    explainSecret({ code: 'unrecognized_keys', keys: [name] }) ??
    (nearest === undefined
      ? `there is no such field; the fields are ${members.filter((each) => each !== '$schema').join(', ')}`
      : `there is no such field; did you mean "${nearest}"?`);
  return { position: text.positionOf(path, true), path, problem };
}

function unusable(file: string, problems: readonly TextProblem[]): ConfigError {
  const lines = problems.map(({ position, path, problem }) => {
    return `  ${positionText(file, position)} ${path.length === 0 ? 'the whole file' : pathText(path)}: ${problem}`;
  });
  return new ConfigError(`The configuration ${file} cannot be used:\n${lines.join('\n')}`);
}

/** In the form of compilers, which terminals and editors can open. */
function positionText(file: string, { line, column }: TextPosition): string {
  return `${file}:${line}:${column}`;
}

function unreadable(file: string, code: string | undefined): string {
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
    throw new ConfigError(unreadable(file, errorCode(error)));
  }
}
