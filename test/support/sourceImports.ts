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

/** Reads the files of src/ with their text. */
export function readSourceFiles(): ReadonlyMap<string, string> {
  return readFiles('src/**/*.ts');
}

/** Reads the files of test/ with their text, without installed packages. */
export function readTestFiles(): ReadonlyMap<string, string> {
  return readFiles('test/*/**/*.ts', ['**/node_modules/**', 'test/fixtures/**']);
}

function readFiles(pattern: string, excluded: readonly string[] = []): ReadonlyMap<string, string> {
  const files = globSync(pattern, { cwd: fileURLToPath(root), exclude: ['**/*.d.ts', ...excluded] });
  return new Map(
    files.map((file) => [file.replaceAll('\\', '/'), readFileSync(new URL(file, root), 'utf8')] as const),
  );
}

/** Lists every import of these files by a relative path, types and lazy imports included. */
export function listImports(files: ReadonlyMap<string, string>): readonly Import[] {
  return [...files].flatMap(([from, text]) => {
    const statements = text.matchAll(
      /^(?:import|export) ([^;]*?)\bfrom '(\.[^'\n]+)'|\bimport\(\s*'(\.[^'\n]+)'|^import '(\.[^'\n]+)'/gm,
    );
    return [...statements].map(([, names = '', path, lazy, bare]) => ({
      from,
      to: new URL(path ?? lazy ?? bare ?? '', `file:///${from}`).pathname.slice(1),
      isType: /^type\b/.test(names) || (/^\{/.test(names) && areAllTypes(names)),
    }));
  });
}

function areAllTypes(names: string): boolean {
  return names
    .replace(/[{}]/g, '')
    .split(',')
    .filter((name) => name.trim() !== '')
    .every((name) => name.trim().startsWith('type '));
}
