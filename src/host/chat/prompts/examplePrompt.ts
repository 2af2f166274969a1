import * as vscode from 'vscode';

/** Creates the content of a new prompt file: a working prompt, and comments about the other features. */
export function createExamplePrompt(name: string): string {
  const { t } = vscode.l10n;
  const lines = [
    '---',
    `# ${t('Everything between the --- lines is optional.')}`,
    `name: ${name}`,
    `description: ${JSON.stringify(t('Description of the prompt, shown in lists'))}`,
    `# ${t('The ID of a model at the gateway, and the API format of the request:')}`,
    '# model: gpt-x-mini',
    '# api-format: chatCompletions',
    '#',
    `# ${t('Variables are replaced when the prompt is run:')}`,
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of prompt files look like this
    '#   ${selection} ${clipboard} ${file} ${relativeFile} ${fileBasename}',
    '#   ${fileContent} ${language} ${workspaceFolder}',
    `#   ${t('{0} is a required field of a form.', '${input:topic}')}`,
    `#   ${t('{0} is replaced with “friendly” while its field is empty.', '${input:tone:friendly}')}`,
    `#   ${t('Select text in an editor to run a prompt with {0}.', '${selection}')}`,
    `#   ${t('{0} stays unchanged, without the backslash.', '\\${selection}')}`,
    '---',
    t(
      'Explain {0} to {1}, in {2}.',
      '${input:topic}',
      '${input:reader:a new colleague}',
      '${input:length:three sentences}',
    ),
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the end of the variables
    '',
  ];
  return lines.join('\n');
}
