/** Why a reply is a failure, or cannot be read. */
export const replySentences = {
  'gateway-missing': 'There is no gateway at this address{httpStatus}: check it.',
  'credential-refused': 'The gateway refused the credential{httpStatus}: check it, or set it again.',
  'model-unavailable':
    'This account cannot use the model{httpStatus}: choose another one from the model list.',
  'no-models-listed':
    'The gateway lists no models for this account: it may have none yet, or the credential may belong to another one.',
  'model-unsuited':
    'The model does not answer in this API format{httpStatus}: choose another model, or another format.',
  'request-refused':
    'The gateway refused the request{httpStatus}: change what it objects to and send it again.',
  'rate-limited': 'The gateway asks to slow down{httpStatus}: try again later.',
  'rate-limited-for': 'The gateway asks to slow down{httpStatus}: try again in {waitMs}.',
  'quota-used-up': 'The account has no quota or balance left{httpStatus}: top it up, or use another one.',
  'gateway-failed': 'The gateway or the provider behind it failed{httpStatus}: try again.',
  'upstream-key-refused':
    'A provider behind the gateway refused the gateway’s own key{httpStatus}: the gateway’s administrator must replace it; choose a model of another provider until then.',
  'own-upstream-key-refused':
    'An upstream refused the key that the gateway on this machine has for it{httpStatus}: set that key, then try again.',
  'upstream-unusable':
    'The gateway cannot use an upstream as it is set up{httpStatus}: its configuration must be changed; choose another model until then.',
  'content-refused': "The provider's content filter refused the request{httpStatus}: rephrase it.",
  'context-too-long':
    'The request is longer than the model can read{httpStatus}: shorten it, begin a new chat, or choose a model with a larger context.',
  'route-missing':
    'The gateway serves nothing at this address{httpStatus}: check the address, which does not include the route, or choose another API format.',
  'request-refused-without-words':
    'The gateway refused the request without a reason{httpStatus}: change its parameters, or choose another API format.',
  'headers-refused':
    'The headers of the request are larger than the gateway accepts{httpStatus}: check the credential.',
  'network-needs-sign-in':
    'The network requires a sign-in{httpStatus}: sign in to it in a browser, then try again.',
  'region-refused':
    'The gateway or its provider does not serve the region that the request came from{httpStatus}: choose another model, or use another network.',
  'browser-check':
    'A protection in front of the gateway allows only browsers{httpStatus}: ask the gateway’s administrator to allow programs, or use another network.',
  'request-blocked':
    'A firewall or a proxy blocked the request{httpStatus}: ask its administrator to allow the request, or use another network.',
  'request-too-large': 'The request is larger than the gateway accepts{httpStatus}: shorten it.',
  'proxy-needs-sign-in': 'A proxy requires a sign-in{httpStatus}: sign in to the proxy.',
  redirected: 'The server redirects to {target} (HTTP {status}), which was not followed: check the address.',
  'redirected-nowhere':
    'The server redirects to an unnamed address (HTTP {status}), which was not followed: check the address.',
  'web-page':
    'The address answered with a web page instead of a reply: check the address, or sign in to the network.',
  'reply-empty': 'The gateway sent an empty reply: try again, or check the address.',
  'reply-cut': 'The gateway ended the reply before it was finished.',
  'reply-too-large': 'The reply is too large; reading stopped there.',
  'answer-too-large': 'The reply is too large; reading stopped there, and it may have been billed.',
  'event-too-large':
    'One event of the reply is larger than {maxMiB} MiB; reading stopped there, and it may have been billed.',
  'answer-too-long':
    'The reply is longer than {maxMebi} Mi characters; reading stopped there, and it may have been billed.',
  'too-many-calls':
    'The reply calls tools more than {count} times; reading stopped there, and it may have been billed.',
  'too-many-parts':
    'The reply has more than {count} parts; reading stopped there, and it may have been billed.',
  'reply-not-json': 'The reply is not in a known format (it is not JSON): check the address, or try again.',
  'reply-not-whole-json':
    'The reply is not in a known format (it is not whole JSON): check the address, or try again.',
  'event-not-json':
    'The reply is not in a known format (an event is not JSON): check the address, or try again.',
  'element-not-json':
    'The reply is not in a known format (an element is not JSON): check the address, or try again.',
  'neither-json-nor-stream':
    'The reply is not in a known format (neither JSON nor an event stream): check the address, or try again.',
  'content-encoding-unknown':
    'The reply is not in a known format (its content encoding is unknown): check the address, or try again.',
  'member-missing':
    'The reply is not in a known format (it has no {member}): check the address, or try again.',
  'model-list-missing':
    'The reply is not in a known format (it has no model list): check the address, or try again.',
  'task-list-missing':
    'The reply is not in a known format (it has no task list): check the address, or try again.',
  'task-missing': 'The reply is not in a known format (it names no task): check the address, or try again.',
  'task-and-result-missing':
    'The reply is not in a known format (it names neither a task nor a result): check the address, or try again.',
  'told-task-id-empty':
    'The reply is not in a known format (the ID of its task is empty): check the address, or try again.',
  'told-task-id-too-long':
    'The reply is not in a known format (the ID of its task is longer than {maxLength} characters): check the address, or try again.',
  'told-task-id-unprintable':
    'The reply is not in a known format (the ID of its task has control characters): check the address, or try again.',
  'task-cancel-refused':
    'The gateway did not cancel the task{httpStatus}: it has ended, or cannot be cancelled any more.',
  'task-delete-refused':
    'The gateway did not delete the task{httpStatus}: if it still runs, wait for its end or cancel it first.',
  'task-read-refused': 'The gateway did not report the status of the task{httpStatus}: check it again later.',
  'task-list-refused':
    'The gateway did not list its tasks{httpStatus}: those in this list are watched all the same.',
  'task-not-known':
    'The gateway does not know this task{httpStatus}: it was deleted there, has expired, or belongs to another account.',
  'cancel-denied': 'The gateway replied that it did not cancel the task: check its status.',
  'delete-denied': 'The gateway replied that it did not delete the task: check its status.',
} as const;
