import * as vscode from 'vscode';
import { maxCheckedLength } from '../../../conversations/schemaCheck/checkReply.ts';
import type {
  Fault,
  JsonPath,
  ReplyCheck,
  SchemaProblem,
} from '../../../conversations/schemaCheck/checkResult.ts';
import { maxSchemaDepth, maxSchemas } from '../../../conversations/schemaCheck/readSchema.ts';
import type { SchemaCheckView } from '../../../protocol/chatTurn.ts';
import { clip } from '../../kit/display/plainText.ts';

const maxPathLength = 160;
const maxValueLength = 120;

/** Converts the result of a check into a view for the page. */
export function createCheckView(check: ReplyCheck): SchemaCheckView {
  const createUnchecked = (title: string): SchemaCheckView => ({ kind: 'unchecked', title, faults: [] });
  switch (check.kind) {
    case 'matches': {
      const title = check.isFenced
        ? vscode.l10n.t('Matches the schema (in a code block).')
        : vscode.l10n.t('Matches the schema.');
      return { kind: 'matches', title, faults: [] };
    }
    case 'differs': {
      const more = check.count - check.faults.length;
      return {
        kind: 'differs',
        title: vscode.l10n.t('Does not match the schema:'),
        faults: check.faults.map(describeFault),
        ...(more > 0 && { more: vscode.l10n.t('{0} more', more) }),
      };
    }
    case 'not-json':
      return {
        kind: 'differs',
        title: vscode.l10n.t(
          'Does not match the schema: the reply is not JSON. {0}',
          clip(check.detail, maxValueLength),
        ),
        faults: [],
      };
    case 'bad-schema':
      return createUnchecked(
        vscode.l10n.t('Not checked: the schema cannot be used. {0}', clip(check.detail, maxValueLength)),
      );
    case 'too-long':
      return createUnchecked(
        vscode.l10n.t(
          'Not checked against the schema: the reply has {0} characters, and at most {1} are checked.',
          check.length.toLocaleString(vscode.env.language),
          maxCheckedLength.toLocaleString(vscode.env.language),
        ),
      );
    case 'too-much':
      return createUnchecked(
        vscode.l10n.t('Not checked against the schema: the check takes too long. Simplify the schema.'),
      );
  }
}

/** Creates the view for a reply that was cut off. Such a reply is not checked. */
export function createCutOffView(): SchemaCheckView {
  const title = vscode.l10n.t('Not checked against the schema: the reply was cut off.');
  return { kind: 'unchecked', title, faults: [] };
}

/** Describes an error in the text of a schema, with its line if it is known. */
export function describeSchemaProblem(problem: SchemaProblem): string {
  switch (problem.kind) {
    case 'not-json':
      return vscode.l10n.t('This is not valid JSON: {0}.', problem.detail);
    case 'not-an-object':
      return vscode.l10n.t('A schema must be an object: begin with { and end with }.');
    case 'too-many':
      return vscode.l10n.t(
        'A schema can contain at most {0} nested schemas.',
        maxSchemas.toLocaleString(vscode.env.language),
      );
    case 'too-deep':
      return vscode.l10n.t('A schema can be nested at most {0} levels deep.', maxSchemaDepth);
    case 'too-much':
      return vscode.l10n.t('This schema takes too long to read. Simplify it.');
    default:
      return describeLineProblem(problem);
  }
}

/** Describes an error in a line of the text of a schema. */
function describeLineProblem(problem: Extract<SchemaProblem, { readonly value: string }>): string {
  const { t } = vscode.l10n;
  const { kind, line } = problem;
  const value = clip(problem.value, maxValueLength);
  switch (kind) {
    case 'type':
      return t('Line {0}: unknown type “{1}”.', line, value);
    case 'pattern':
      return t('Line {0}: “{1}” is not a regular expression.', line, value);
    case 'reference':
      return t('Line {0}: “{1}” does not refer to a part of this schema.', line, value);
    case 'not-a-schema':
      return t('Line {0}: “{1}” must be a schema: an object, true or false.', line, value);
    case 'circle':
      return t('Line {0}: “{1}” refers to itself, so no reply can be checked.', line, value);
  }
}

/** Describes a part that differs from the schema, such as "$.items[3].price must be number". */
function describeFault({ path, keyword, expected }: Fault): string {
  return vscode.l10n.t(
    '{0} {1}',
    clip(formatPath(path), maxPathLength),
    describeRequirement(keyword, expected),
  );
}

/** Formats a path in JSONPath syntax. */
function formatPath(path: JsonPath): string {
  const steps = path.map((name) => {
    if (typeof name === 'number') return `[${name}]`;
    return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  });
  return `$${steps.join('')}`;
}

function describeRequirement(keyword: string, expected: unknown): string {
  const value = clip(JSON.stringify(expected) ?? '', maxValueLength);
  switch (keyword) {
    case 'missing':
      return vscode.l10n.t('is missing');
    case 'false':
      return vscode.l10n.t('is not allowed');
    case 'uniqueItems':
      return vscode.l10n.t('has the same item twice');
    case 'anyOf':
      return vscode.l10n.t('matches none of the alternatives');
    case 'oneOf':
      return vscode.l10n.t('matches none or more than one of the alternatives');
  }
  // A long part of the schema is not reported.
  if (value === '') return vscode.l10n.t('does not satisfy “{0}”', keyword);
  switch (keyword) {
    case 'type':
      return vscode.l10n.t('must be {0}', [expected].flat().join(' | '));
    case 'const':
      return vscode.l10n.t('must be {0}', value);
    case 'enum':
      return vscode.l10n.t('must be one of {0}', value);
    case 'format':
      return vscode.l10n.t('must have the format {0}', value);
    case 'pattern':
      return vscode.l10n.t('must match {0}', value);
    case 'minimum':
      return vscode.l10n.t('must be at least {0}', value);
    case 'maximum':
      return vscode.l10n.t('must be at most {0}', value);
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return vscode.l10n.t('is too short: at least {0}', value);
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return vscode.l10n.t('is too long: at most {0}', value);
    default:
      return vscode.l10n.t('does not satisfy “{0}”: {1}', keyword, value);
  }
}
