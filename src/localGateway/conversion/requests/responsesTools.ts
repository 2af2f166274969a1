import { type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { AskedTool } from '../../../wire/apis/requestSettings.ts';
import { functionsIn, joinedName, namespaceOf } from '../namespaces.ts';
import type { ConversionNotes } from '../notes.ts';
import { kindOf, type OfferedTool, searchName } from '../offeredTools.ts';
import { dropOthers } from './fields.ts';
import { customTool, otherTool, toolOf } from './tools.ts';

/**
 * Tools as responses have them. Those in namespaces stand beside the others, by one name for both; those that the
 * conversation offers stand there from its beginning on.
 */
export function flatTools(tools: readonly OfferedTool[], notes: ConversionNotes): readonly AskedTool[] {
  const byName = new Map<string, AskedTool>();
  for (const { tool, at, isLater } of tools) {
    const read =
      namespaceOf(tool) === undefined ? [flatTool(tool, at, notes)] : namespacedTools(tool, at, notes);
    for (const each of read) {
      if (byName.has(each.name) && !isLater)
        throw notes.refusal(at, 'wants a name of its own for every tool');
      byName.set(each.name, each);
    }
  }
  return [...byName.values()];
}

function flatTool(tool: JsonObject, at: string, notes: ConversionNotes): AskedTool {
  switch (kindOf(tool)) {
    case 'custom':
      dropOthers(tool, ['type', 'name', 'description', 'format'], at, notes);
      return customTool(tool, tool.format, at, notes);
    case 'search':
      dropOthers(tool, ['type', 'execution', 'description', 'parameters'], at, notes);
      return toolOf({ ...tool, name: searchName }, tool.parameters, at, notes);
    case 'function':
      dropOthers(tool, ['type', 'name', 'description', 'parameters', 'strict'], at, notes);
      return toolOf(tool, tool.parameters, at, notes);
    default:
      throw otherTool(tool, at, notes);
  }
}

/** What is said of a namespace goes along with its first function. */
function namespacedTools(tool: JsonObject, at: string, notes: ConversionNotes): readonly AskedTool[] {
  dropOthers(tool, ['type', 'name', 'description', 'tools'], at, notes);
  const namespace = namespaceOf(tool);
  const said = nonEmptyString(tool.description);
  return functionsIn(tool).map((inner, nth) => {
    const { name, description, ...told } = flatTool(inner, `${at}.tools[${nth}]`, notes);
    const intro = nth === 0 && said !== undefined ? [`${namespace}: ${said}`] : [];
    const described = [...intro, ...(description === undefined ? [] : [description])].join('\n\n');
    return {
      name: joinedName({ name, ...(namespace !== undefined && { namespace }) }),
      ...(described !== '' && { description: described }),
      ...told,
    };
  });
}
