import * as vscode from 'vscode';
import { ContextError } from './contextError.ts';
import { fileName } from './contextReference.ts';

/** More of them help no model. */
const maxProblems = 200;

const severities: Readonly<Record<vscode.DiagnosticSeverity, string>> = {
  [vscode.DiagnosticSeverity.Error]: 'error',
  [vscode.DiagnosticSeverity.Warning]: 'warning',
  [vscode.DiagnosticSeverity.Information]: 'information',
  [vscode.DiagnosticSeverity.Hint]: 'hint',
};

interface Problem {
  readonly uri: vscode.Uri;
  readonly diagnostic: vscode.Diagnostic;
}

/**
 * The problems of a file or of all, the worst first, one a line as compilers write them.
 *
 * @throws {ContextError} when there are none
 */
export function problemsText(file?: vscode.Uri): string {
  const problems = found(file).toSorted((one, other) => one.diagnostic.severity - other.diagnostic.severity);
  if (problems.length === 0) throw new ContextError(none(file));
  const lines = problems.slice(0, maxProblems).map(lineOf);
  if (problems.length > maxProblems) lines.push(`(${maxProblems} of ${problems.length} problems)`);
  return `${lines.join('\n')}\n`;
}

function found(file: vscode.Uri | undefined): readonly Problem[] {
  if (file) return vscode.languages.getDiagnostics(file).map((diagnostic) => ({ uri: file, diagnostic }));
  return vscode.languages
    .getDiagnostics()
    .flatMap(([uri, diagnostics]) => diagnostics.map((diagnostic) => ({ uri, diagnostic })));
}

function lineOf({ uri, diagnostic }: Problem): string {
  const { range, severity, message, source, code } = diagnostic;
  const place = `${fileName(uri)}:${range.start.line + 1}:${range.start.character + 1}`;
  const by = [source, typeof code === 'object' ? code.value : code].filter((each) => each !== undefined);
  const origin = by.length === 0 ? '' : ` (${by.join(' ')})`;
  return `${place}: ${severities[severity]}: ${message.replace(/\s+/g, (blank) => (blank.includes('\n') ? ' ' : blank))}${origin}`;
}

function none(file: vscode.Uri | undefined): string {
  return file
    ? vscode.l10n.t('VS Code reports no problems of “{0}”.', fileName(file))
    : vscode.l10n.t('VS Code reports no problems.');
}
