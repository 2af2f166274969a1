import * as vscode from 'vscode';
import { textFormats } from '../../../wire/apis/textFormats.ts';
import { listed } from '../../kit/display/listed.ts';
import { maxFrontMatterLength, maxPromptLength } from './promptFile.ts';
import type { FileProblem } from './promptList.ts';
import type { EditorVariable } from './promptTemplate.ts';

/** Why a prompt file cannot be used, in a sentence. */
export function problemSentence(problem: FileProblem): string {
  switch (problem.kind) {
    case 'too-long':
      return vscode.l10n.t(
        'It has {0} characters. A prompt file has at most {1}.',
        problem.length.toLocaleString(vscode.env.language),
        maxPromptLength.toLocaleString(vscode.env.language),
      );
    case 'binary':
      return vscode.l10n.t('It is not a text file.');
    case 'open-front-matter':
      return vscode.l10n.t('The front matter begins here, and no line of --- ends it.');
    case 'long-front-matter':
      return vscode.l10n.t(
        'Its front matter has {0} characters. There are at most {1}.',
        problem.length.toLocaleString(vscode.env.language),
        maxFrontMatterLength.toLocaleString(vscode.env.language),
      );
    case 'deep-front-matter':
      return vscode.l10n.t('The front matter is nested too deeply.');
    case 'front-matter':
      return vscode.l10n.t('The front matter is not valid YAML: {0}.', problem.detail);
    case 'not-a-text':
      return vscode.l10n.t('{0} is a text. Put it in quotes.', problem.field);
    case 'unknown-format':
      return vscode.l10n.t(
        'There is no API format {0}. Use one of: {1}.',
        problem.format,
        listed(textFormats.map(({ id }) => id)),
      );
    case 'empty':
      return vscode.l10n.t('There is no text after the front matter.');
    case 'unreadable':
      return problem.detail;
  }
}

/** Why a value that a prompt asks the editor for is missing, and what to do. */
export function missingSentence(variable: EditorVariable): string {
  switch (variable) {
    case 'selection':
    case 'selectedText':
      return vscode.l10n.t('Nothing is selected. Select text in an editor, and run the prompt again.');
    case 'clipboard':
      return vscode.l10n.t('The clipboard has no text. Copy some, and run the prompt again.');
    case 'workspaceFolder':
    case 'workspaceFolderBasename':
      return vscode.l10n.t('No folder is open.');
    case 'fileContent':
      return vscode.l10n.t('There is no file with text in it. Open one, and run the prompt again.');
    default:
      return vscode.l10n.t('No file is open. Open one, and run the prompt again.');
  }
}

/** A place in a file, as people write it. */
export function placeWords(file: string, line: number | undefined): string {
  return line === undefined ? file : vscode.l10n.t('{0}, line {1}', file, line);
}
