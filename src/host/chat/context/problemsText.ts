import * as vscode from 'vscode';
import { ContextError, formatDisplayPath } from './contextReference.ts';

/** The maximum number of listed problems. More problems do not help a model. */
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
 * Lists the problems of a file or of all files, most severe first, each on one line in the format of compilers.
 *
 * @throws {ContextError} if VS Code reports no problems
 */
export function formatProblems(file?: vscode.Uri): string {
  const problems = readProblems(file).toSorted(
    (one, other) => one.diagnostic.severity - other.diagnostic.severity,
  );
  if (problems.length === 0) throw new ContextError(describeNoProblems(file));
  const lines = problems.slice(0, maxProblems).map(formatProblem);
  if (problems.length > maxProblems) lines.push(`(${maxProblems} of ${problems.length} problems)`);
  return `${lines.join('\n')}\n`;
}

function readProblems(file: vscode.Uri | undefined): readonly Problem[] {
  if (file) return vscode.languages.getDiagnostics(file).map((diagnostic) => ({ uri: file, diagnostic }));
  return vscode.languages
    .getDiagnostics()
    .flatMap(([uri, diagnostics]) => diagnostics.map((diagnostic) => ({ uri, diagnostic })));
}

function formatProblem({ uri, diagnostic }: Problem): string {
  const { range, severity, message, source, code } = diagnostic;
  const location = `${formatDisplayPath(uri)}:${range.start.line + 1}:${range.start.character + 1}`;
  const reporter = [source, typeof code === 'object' ? code.value : code].filter(
    (each) => each !== undefined,
  );
  const origin = reporter.length === 0 ? '' : ` (${reporter.join(' ')})`;
  const line = message.replace(/\s+/g, (space) => (space.includes('\n') ? ' ' : space));
  return `${location}: ${severities[severity]}: ${line}${origin}`;
}

function describeNoProblems(file: vscode.Uri | undefined): string {
  return file
    ? vscode.l10n.t('VS Code reports no problems in “{0}”.', formatDisplayPath(file))
    : vscode.l10n.t('VS Code reports no problems.');
}
