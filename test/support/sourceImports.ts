import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from '../../scripts/root.mjs';

/** An import of one file of the project by another, as paths from the root with `/`. */
export interface Import {
  readonly from: string;
  readonly to: string;
  /** Whether the import is erased at run time. */
  readonly isType: boolean;
}

/** The files of src/ with their text. */
export function sourceFiles(): ReadonlyMap<string, string> {
  return filesOf('src/**/*.ts');
}

/** The files of test/ with their text, without installed packages. */
export function testFiles(): ReadonlyMap<string, string> {
  return filesOf('test/*/**/*.ts', ['**/node_modules/**', 'test/fixtures/**']);
}

function filesOf(pattern: string, excluded: readonly string[] = []): ReadonlyMap<string, string> {
  const files = globSync(pattern, { cwd: fileURLToPath(root), exclude: ['**/*.d.ts', ...excluded] });
  return new Map(
    files.map((file) => [file.replaceAll('\\', '/'), readFileSync(new URL(file, root), 'utf8')] as const),
  );
}

/** Every import of these files by a relative path as it is written, types and lazy imports included. */
export function writtenImports(files: ReadonlyMap<string, string>): readonly Import[] {
  return [...files].flatMap(([from, text]) => {
    const statements = text.matchAll(
      /^(?:import|export) ([^;]*?)\bfrom '(\.[^'\n]+)'|\bimport\(\s*'(\.[^'\n]+)'|^import '(\.[^'\n]+)'/gm,
    );
    return [...statements].map(([, names = '', path, lazy, bare]) => ({
      from,
      to: new URL(path ?? lazy ?? bare ?? '', `file:///${from}`).pathname.slice(1),
      isType: /^type\b/.test(names) || (/^\{/.test(names) && everyNameIsType(names)),
    }));
  });
}

function everyNameIsType(names: string): boolean {
  return names
    .replace(/[{}]/g, '')
    .split(',')
    .filter((name) => name.trim() !== '')
    .every((name) => name.trim().startsWith('type '));
}
