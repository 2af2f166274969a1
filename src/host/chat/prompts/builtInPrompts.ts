import * as vscode from 'vscode';
import type { FoundPrompt } from './promptList.ts';
import { readTemplate } from './promptTemplate.ts';

/**
 * The context that a built-in prompt adds to the question. `code`: the selection, otherwise the file. `problems`: the
 * same as `code`, and the problems of the file. `review`: the selection, otherwise the changes, otherwise the file.
 * `changes`: the changes.
 */
export type PromptContext = 'code' | 'problems' | 'review' | 'changes';

export interface BuiltInPrompt extends FoundPrompt {
  readonly addedContext: PromptContext;
}

/** Creates the prompts that are listed after `/` in addition to prompt files, in the display language. */
export function createBuiltInPrompts(): readonly BuiltInPrompt[] {
  const { t } = vscode.l10n;
  return [
    createBuiltInPrompt('code', {
      name: 'explain',
      description: t('Explain the selection or the file'),
      text: t(
        'Explain what the attached code does, step by step, and point out anything that is not obvious.',
      ),
    }),
    createBuiltInPrompt('problems', {
      name: 'fix',
      description: t('Fix the selection or the file'),
      text: t(
        'Find the mistakes in the attached code. Explain each in one sentence, and show the fixed code.',
      ),
    }),
    createBuiltInPrompt('code', {
      name: 'tests',
      description: t('Write tests for the selection or the file'),
      text: t(
        'Write tests for the attached code, with the test framework that fits it. Cover usual cases, edge cases and errors.',
      ),
    }),
    createBuiltInPrompt('code', {
      name: 'doc',
      description: t('Document the selection or the file'),
      text: t(
        'Write documentation comments for the attached code, as is usual in its language. Do not change the code itself.',
      ),
    }),
    createBuiltInPrompt('review', {
      name: 'review',
      description: t('Review the selection, the changes or the file'),
      text: t(
        'Review the attached content for errors, security problems, missing cases and readability. List the findings, the most severe first, each with its location and a suggestion.',
      ),
    }),
    createBuiltInPrompt('changes', {
      name: 'commit',
      description: t('Write a commit message for the changes'),
      text: t(
        'Write a commit message for the attached changes: a subject of at most 72 characters in the imperative, then an empty line and the reason, unless it is obvious. Reply with the message only.',
      ),
    }),
  ];
}

export function isBuiltIn(found: FoundPrompt): found is BuiltInPrompt {
  return 'addedContext' in found;
}

function createBuiltInPrompt(
  addedContext: PromptContext,
  { name, description, text }: { readonly name: string; readonly description: string; readonly text: string },
): BuiltInPrompt {
  return {
    addedContext,
    uri: vscode.Uri.from({ scheme: 'model-gateway-prompt', path: `/${name}` }),
    prompt: { name, description, hint: '', models: [], format: undefined, template: readTemplate(text, 1) },
  };
}
