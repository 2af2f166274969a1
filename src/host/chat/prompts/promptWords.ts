import * as vscode from 'vscode';
import { textFormats } from '../../../wire/apis/textFormats.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { maxFrontMatterLength, maxPromptLength } from './promptFile.ts';
import type { PromptFileProblem } from './promptList.ts';
import type { EditorVariable } from './promptTemplate.ts';

/** Describes in a sentence why a prompt file cannot be used. */
export function describePromptProblem(problem: PromptFileProblem): string {
  switch (problem.kind) {
    case 'too-long':
      return vscode.l10n.t(
        'It has {0} characters. A prompt file can have at most {1}.',
        problem.length.toLocaleString(vscode.env.language),
        maxPromptLength.toLocaleString(vscode.env.language),
      );
    case 'binary':
      return vscode.l10n.t('It is not a text file.');
    case 'open-front-matter':
      return vscode.l10n.t('The front matter that begins here has no closing --- line.');
    case 'long-front-matter':
      return vscode.l10n.t(
        'Its front matter has {0} characters. The limit is {1}.',
        problem.length.toLocaleString(vscode.env.language),
        maxFrontMatterLength.toLocaleString(vscode.env.language),
      );
    case 'deep-front-matter':
      return vscode.l10n.t('The front matter is nested too deeply.');
    case 'front-matter':
      return vscode.l10n.t('The front matter is not valid YAML: {0}.', problem.detail);
    case 'not-a-text':
      return vscode.l10n.t('{0} must be text. Put it in quotes.', problem.field);
    case 'unknown-format':
      return vscode.l10n.t(
        'There is no API format {0}. Use one of: {1}.',
        problem.format,
        joinNames(textFormats.map(({ id }) => id)),
      );
    case 'empty':
      return vscode.l10n.t('There is no text after the front matter.');
    case 'unreadable':
      return problem.detail;
  }
}

/** Describes why an editor variable has no value, with advice. */
export function describeMissingValue(variable: EditorVariable): string {
  switch (variable) {
    case 'selection':
    case 'selectedText':
      return vscode.l10n.t('Nothing is selected. Select text in an editor, then run the prompt again.');
    case 'clipboard':
      return vscode.l10n.t('The clipboard has no text. Copy some text, then run the prompt again.');
    case 'workspaceFolder':
    case 'workspaceFolderBasename':
      return vscode.l10n.t('No folder is open.');
    case 'fileContent':
      return vscode.l10n.t('There is no file with text in it. Open one, and run the prompt again.');
    default:
      return vscode.l10n.t('No file is open. Open a file, then run the prompt again.');
  }
}

/** Formats a location in a file for display. */
export function formatFileLocation(file: string, line: number | undefined): string {
  return line === undefined ? file : vscode.l10n.t('{0}, line {1}', file, line);
}
