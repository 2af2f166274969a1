// Distributes test files over the parallel runs of a part, so that all of them end at about the same time.

/** @typedef {{ name: string, files: readonly string[] }} TestFiles */

/**
 * Slow test files, by their paths below test/ without `.test.ts`. A cost is the duration of the file divided by that
 * of an average file of its folder. A wrong cost only makes the part slower.
 *
 * @type {Readonly<Record<string, number>>}
 */
export const slowFiles = {
  'contract/gatewayConvertedVideos': 26,
  'contract/gatewayUpstreamTasks': 22,
  'contract/gatewayTaskFile': 15,
  'contract/gatewayProxies': 12,
  'contract/gatewayConvertedUpstreams': 11,
  'contract/gatewayChain': 9,
  'contract/gatewayUpstreamResults': 8,
  'contract/gatewaySpending': 8,
  'contract/gatewaySeveralKeys': 7,
  'contract/sdkUpstreams': 7,
  'contract/gatewayConfiguration': 7,
  'contract/gatewayAliases': 7,
  'contract/gatewayUpstreams': 7,
  'contract/upkeepKill': 7,
  'contract/gatewayProcess': 6,
  'contract/gatewayConversions': 6,
  'contract/gatewayUpstreamLoad': 6,
  'contract/canarySweep': 5,
  'contract/requestCommands': 5,
  'contract/gatewayCounts': 5,
  'contract/gatewayKills': 5,
  'host/tasks': 38,
  'host/chatFileFaults': 8,
  'host/chat': 7,
  'ui/page/find': 3,
  'ui/page/branches': 5,
  'ui/page/conversation': 4,
  'ui/page/longChat': 4,
  'ui/page/hostile': 3,
  'ui/page/composer': 3,
  'ui/page/columns': 3,
  'ui/page/form': 3,
  'ui/workbench/tasks': 21,
  'ui/workbench/chats': 17,
  'ui/workbench/vscodeChat': 9,
  'ui/workbench/firstLight': 9,
  'ui/workbench/package': 8,
  'ui/workbench/connecting': 7,
  'unit/wire/repeatedEvents': 75,
  'unit/tasks/model/tasks': 70,
  'unit/tasks/ledgerDamage': 68,
  'unit/wire/growth': 65,
  'unit/conversations/search/search': 33,
  'unit/conversations/formats/hostile': 22,
  'unit/conversations/conversationGrowth': 18,
  'unit/conversations/formats/memory': 18,
  'unit/conversations/store/model/conversations': 15,
  'unit/localGateway/tasks/taskDamage': 15,
  'unit/conversations/schemaCheck/schemaCheck': 14,
  'unit/conversations/everyCallFails': 14,
  'unit/wire/responses': 14,
};

/** The cost of any other file that opens VS Code, compared with a file of page tests. */
const workbenchCost = 5;

/**
 * Lists of files to run side by side, with about equal costs. Lists without files are omitted.
 *
 * @param {string} name the prefix of the names of the lists
 * @param {readonly string[]} files
 * @param {number} [count]
 * @returns {TestFiles[]}
 */
export function splitIntoLanes(name, files, count = 2) {
  /** @type {{ name: string, files: string[], cost: number }[]} */
  const lanes = Array.from({ length: count }, (_, lane) => ({ name: `${name}-${lane}`, files: [], cost: 0 }));
  for (const file of files.toSorted((one, other) => estimateCost(other) - estimateCost(one))) {
    const lane = lanes.reduce((least, each) => (each.cost < least.cost ? each : least));
    lane.files.push(file);
    lane.cost += estimateCost(file);
  }
  return lanes.filter((lane) => lane.files.length > 0);
}

/** @param {string} file */
function estimateCost(file) {
  const named = slowFiles[file.slice('test/'.length, -'.test.ts'.length)];
  return named ?? (file.startsWith('test/ui/workbench/') ? workbenchCost : 1);
}
