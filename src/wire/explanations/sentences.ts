/**
 * Every sentence about a failure or an omission, in English, by its id. Ledgers store ids and arguments. If an id
 * or a placeholder is renamed, the English text that is stored with it is shown instead.
 */
export const sentences = {
  // Requests that were not sent or are not awaited any more; then failures of the connection, of a proxy, and
  // timeouts.
  'call-cancelled': 'The request was cancelled.',
  'wait-cancelled': 'The wait was cancelled.',
  'wait-timed-out': 'The task did not finish in time and may still be running: wait for it again.',
  'task-unknown': 'The gateway no longer has the task.',
  'request-unsendable': 'The request contains characters that cannot be sent over HTTP.',
  'credential-unreadable': 'The credential could not be read from secret storage: set it again.',
  'credential-timeout': 'The secret storage did not respond in time, so nothing was sent: try again.',
  'credential-command-unconfirmed':
    'The command that prints the credential was not confirmed on this machine: set the credential again.',
  'credential-command-failed':
    'The command that prints the credential failed ({code}), so nothing was sent: run it in a terminal to see why.',
  'credential-command-timeout':
    'The command that prints the credential did not end within {timeoutMs}, so nothing was sent: run it in a terminal to see why.',
  'credential-command-output':
    'The command did not print a usable credential: it must print the credential on one line, or JSON with access_token.',
  'credential-command-expired':
    'The credential that the command printed has already expired: sign in again where the command gets it.',
  'extra-headers-unreadable':
    'The headers of the gateway could not be read from secret storage: set them again.',
  'extra-header-reserved':
    'The header {header} of the gateway cannot be sent, because HTTP or the extension sets it: remove it.',
  'extra-header-credential':
    'The header {header} of the gateway would replace the credential: remove it, or remove the credential.',
  'extra-header-invalid':
    'The header {header} of the gateway has characters that cannot be sent, such as a line break: set it again.',
  'credential-unsendable': 'The credential has invalid characters, such as spaces: set it again.',
  'base-url-not-an-address': 'The base URL is not valid: it should look like https://gateway.example.',
  'base-url-not-http': 'The base URL must begin with https://.',
  'base-url-plain-http':
    'Plain http is allowed only for this machine and, with your consent, for private networks: use https, or enter the address again to give your consent.',
  'base-url-contains-credentials':
    'The base URL must not have a user name or password: enter the credential separately.',
  'base-url-contains-query':
    'The base URL must not have a query or a fragment: remove everything from ? or # on.',
  'task-id-empty': 'The task cannot be requested: its ID is empty.',
  'task-id-too-long': 'The task cannot be requested: its ID is longer than {maxLength} characters.',
  'task-id-unprintable': 'The task cannot be requested: its ID contains control characters.',
  'sent-before-damage': 'The task file was damaged: it is unknown whether this was sent.',
  'gateway-not-connected': 'The gateway at {address} is no longer connected: connect to it again.',
  'account-not-connected':
    '{gateway} is no longer connected, and the other gateway at {address} may use another account: connect to {gateway} again, or, if the account is the same, give the other gateway this name.',
  'gateway-not-started': '{gateway} did not start. {cause}',
  'spending-limit': 'A spending limit refused the request, so nothing was sent.',
  'spending-limit-reached':
    'The spending limit “{limit}” is reached ({used} of {allowed}), so nothing was sent. It resets on {resets}.',
  'spending-limit-reserved':
    'Requests in progress may use the rest of the spending limit “{limit}” ({used} of {allowed} is used), and this one may use {needed}, so nothing was sent. Wait until they have ended. The limit resets on {resets}.',
  'spending-limit-too-small':
    'This request needs about {needed}, but {used} of {allowed} of the spending limit “{limit}” is used, so nothing was sent. The limit resets on {resets}.',
  'spending-price-unknown':
    'The spending limit “{limit}” cannot count this request, because its price is unknown, so nothing was sent. Set prices in modelGateway.models, or allow such requests in the limit.',
  'spending-limits-invalid':
    'The setting modelGateway.spendingLimits is invalid ({cause}), so nothing was sent: correct it.',
  'spending-limit-of-unknown-gateway':
    'The spending limit “{limit}” of the setting modelGateway.spendingLimits is for the gateway “{gateway}”, which does not exist. No request is sent until you correct this name or remove the limit.',
  'spending-not-counted':
    'The request could not be counted for the spending limits, so nothing was sent. {cause}',
  /** The message of an error of this program or of the system. */
  'not-sent': '{cause}',

  /** How a sentence names a host behind a proxy. */
  'host-through-proxy': '{host} (through the proxy {proxy})',
  'name-not-resolved': 'The name {host} cannot be resolved: check the address, or whether you are online.',
  'connection-refused': '{host} refuses connections: check the port, or start the server there.',
  'host-unresponsive': '{host} does not respond: check the address, the network and the proxy.',
  'certificate-out-of-date':
    "The certificate of {host} has expired or is not valid yet: check this machine's clock, or ask the host's administrator for a new certificate.",
  'certificate-of-another-host': 'The certificate of {host} is for another host: check the address.',
  'certificate-authority-unknown':
    "The certificate of {host} comes from an unknown authority: add that authority to the system's certificates, and keep the setting http.systemCertificates enabled.",
  'host-without-tls':
    '{host} does not use TLS: check the port, or whether the address should begin with http://.',
  'tls-not-agreed':
    'A secure connection to {host} could not be established: its TLS configuration is outdated or broken.',
  'headers-too-large': 'The headers of the reply from {host} are too large, so the reply was not read.',
  'host-without-http': 'The server at {host} does not use HTTP: check the address and the port.',
  'plain-http-not-private':
    'Nothing was sent to {host}: plain http is not allowed outside private networks. Use https.',
  'network-unreachable': '{host} cannot be reached from this network: check whether you are online.',
  'connection-lost-before-sending': '{host} closed the connection before the request was sent: try again.',
  'connection-lost-before-reply':
    '{host} closed the connection without responding: it may have received the request.',
  'connection-lost-during-reply': 'The connection to {host} was lost during the reply.',
  'connect-timeout':
    'Could not connect to {host} within {timeoutMs}: check the address, the network and the proxy.',
  'first-byte-timeout':
    '{host} accepted the request but did not respond within {timeoutMs}: try again, or increase the timeout.',
  'idle-timeout': '{host} sent nothing for {timeoutMs} in the middle of the reply.',
  'silent-since-sleep': '{host} has not sent any more of the reply since this machine woke from sleep.',
  'proxy-login-timeout':
    'VS Code prompted for the user name and password of the proxy to {host}, but they were not entered within {timeoutMs}: try again.',
  'no-data-timeout': '{host} sent only keep-alive signals for {timeoutMs}, and no more of the reply.',
  'total-timeout': 'The reply was not finished within {timeoutMs}: allow more time in the settings.',

  'proxy-requires-credentials':
    'The proxy {proxy} requires a sign-in (HTTP 407): sign in when VS Code prompts you, or add the user name and password to the address in the setting http.proxy (http://user:password@host:port).',
  'proxy-cannot-reach-host':
    "The proxy {proxy} could not reach {host} (HTTP {status}): check the address, or contact the proxy's administrator.",
  'proxy-refused':
    "The proxy {proxy} refused to connect to {host} (HTTP {status}): contact the proxy's administrator, or add {host} to the setting http.noProxy if it can be reached without the proxy.",
  'proxy-unused':
    'VS Code cannot use the configured proxy ({proxy}), so nothing was sent to {host}: enter the proxy address in the setting http.proxy (http://host:port), or add {host} to http.noProxy.',
  'proxy-closed-connection':
    "The proxy {proxy} closed the connection before it reached the gateway: try again, or contact the proxy's administrator.",
  'proxy-name-not-resolved':
    'The name of the proxy {proxy} cannot be resolved: check the setting http.proxy (or HTTPS_PROXY), or whether you are online.',
  'proxy-connection-refused':
    'The proxy {proxy} refuses connections: check its port in the setting http.proxy (or HTTPS_PROXY).',
  'proxy-unresponsive': 'The proxy {proxy} does not respond: check the setting http.proxy (or HTTPS_PROXY).',
  'proxy-certificate-out-of-date':
    "The certificate of the proxy {proxy} has expired or is not valid yet: check this machine's clock, or contact the proxy's administrator.",
  'proxy-certificate-of-another-host':
    'The certificate of the proxy {proxy} is for another host: check the setting http.proxy (or HTTPS_PROXY).',
  'proxy-certificate-authority-unknown':
    "The certificate of the proxy {proxy} comes from an unknown authority: add that authority to the system's certificates, and keep the setting http.systemCertificates enabled.",
  'proxy-without-tls':
    'The proxy {proxy} does not use TLS: its address in the setting http.proxy (or HTTPS_PROXY) should begin with http://.',
  'proxy-tls-not-agreed': 'A secure connection to the proxy {proxy} could not be established.',
  'not-a-proxy':
    'The server at {proxy} is not a proxy: check the address in the setting http.proxy (or HTTPS_PROXY).',

  // Replies that are failures or cannot be read.
  'gateway-missing': 'No gateway was found at this address{httpStatus}: check the address.',
  'credential-refused': 'The gateway refused the credential{httpStatus}: check it, or set it again.',
  'model-unavailable':
    'This account cannot use the model{httpStatus}: choose another one from the model list.',
  'no-models-listed':
    'The gateway lists no models for this account: it may have none yet, or the credential may belong to another one.',
  'model-unsuited':
    'The model does not support this API format{httpStatus}: choose another model, or another format.',
  'request-refused': 'The gateway refused the request{httpStatus}: correct the request and send it again.',
  'rate-limited': 'The gateway limits the request rate{httpStatus}: try again later.',
  'rate-limited-for': 'The gateway limits the request rate{httpStatus}: try again in {waitMs}.',
  'quota-used-up': 'The account has no quota or balance left{httpStatus}: top it up, or use another one.',
  'gateway-failed': 'The gateway or the provider behind it failed{httpStatus}: try again.',
  'upstream-key-refused':
    'A provider behind the gateway refused the gateway’s own key{httpStatus}: the gateway’s administrator must replace it; choose a model of another provider until then.',
  'own-upstream-key-refused':
    'An upstream refused the key that the local gateway sent{httpStatus}: set the upstream’s key, then try again.',
  'upstream-unusable':
    'An upstream of the gateway is not configured correctly{httpStatus}: its configuration must be changed; choose another model until then.',
  'cache-fields-refused':
    'The gateway does not accept fields for prompt caching{httpStatus}: set "promptCaching": false for this gateway in the setting modelGateway.gateways or, if it is the local gateway, for the upstream in its configuration.',
  'content-refused': "The provider's content filter refused the request{httpStatus}: rephrase it.",
  'context-too-long':
    'The request is too long for the model{httpStatus}: shorten it, start a new chat, or choose a model with a larger context.',
  'route-missing':
    'The gateway does not serve this address{httpStatus}: check the address, which must not include the route, or choose another API format.',
  'request-refused-without-reason':
    'The gateway refused the request without a reason{httpStatus}: change its parameters, or choose another API format.',
  'headers-refused':
    'The headers of the request are larger than the gateway accepts{httpStatus}: check the credential.',
  'network-needs-sign-in':
    'The network requires a sign-in{httpStatus}: sign in to it in a browser, then try again.',
  'region-refused':
    'The gateway or its provider does not serve the region that the request came from{httpStatus}: choose another model, or use another network.',
  'browser-check':
    'Bot protection in front of the gateway allows only browsers{httpStatus}: ask the gateway’s administrator to allow other programs, or use another network.',
  'request-blocked':
    'A firewall or a proxy blocked the request{httpStatus}: ask its administrator to allow the request, or use another network.',
  'request-too-large': 'The request is larger than the gateway accepts{httpStatus}: shorten it.',
  'proxy-needs-sign-in': 'A proxy requires a sign-in{httpStatus}: sign in to the proxy.',
  redirected: 'The server redirects to {target} (HTTP {status}), which was not followed: check the address.',
  'redirect-without-target':
    'The server sent a redirect without a target (HTTP {status}), which was not followed: check the address.',
  'web-page':
    'The address returned a web page instead of a reply: check the address, or sign in to the network.',
  'reply-empty': 'The gateway sent an empty reply: try again, or check the address.',
  'reply-cut': 'The gateway ended the reply before it was finished.',
  'reply-too-large': 'The reply is too large; the rest was not read.',
  'billed-reply-too-large':
    'The reply is too large; the rest was not read, and the reply may have been billed.',
  'event-too-large':
    'An event of the reply is larger than {maxMiB} MiB; the rest was not read, and the reply may have been billed.',
  'reply-too-long':
    'The reply is longer than {maxLength} characters; the rest was not read, and the reply may have been billed.',
  'too-many-calls':
    'The reply calls tools more than {count} times; the rest was not read, and the reply may have been billed.',
  'too-many-parts':
    'The reply has more than {count} parts; the rest was not read, and the reply may have been billed.',
  'reply-not-json': 'The reply is not in a known format (it is not JSON): check the address, or try again.',
  'reply-json-incomplete':
    'The reply is not in a known format (its JSON is incomplete): check the address, or try again.',
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
  'task-missing':
    'The reply is not in a known format (it contains no task): check the address, or try again.',
  'task-and-result-missing':
    'The reply is not in a known format (it contains neither a task nor a result): check the address, or try again.',
  'reply-task-id-empty':
    'The reply is not in a known format (the ID of its task is empty): check the address, or try again.',
  'reply-task-id-too-long':
    'The reply is not in a known format (the ID of its task is longer than {maxLength} characters): check the address, or try again.',
  'reply-task-id-unprintable':
    'The reply is not in a known format (the ID of its task has control characters): check the address, or try again.',
  'task-cancel-refused':
    'The gateway did not cancel the task{httpStatus}: it has ended, or cannot be cancelled any more.',
  'task-delete-refused':
    'The gateway did not delete the task{httpStatus}: if it is still running, wait until it ends or cancel it first.',
  'task-read-refused': 'The gateway did not report the status of the task{httpStatus}: check it again later.',
  'task-list-refused':
    'The gateway did not list its tasks{httpStatus}: the tasks in this list are still watched.',
  'task-not-found':
    'The gateway did not find this task{httpStatus}: it was deleted there, has expired, or belongs to another account.',
  'cancel-denied': 'The gateway replied that it did not cancel the task: check its status.',
  'delete-denied': 'The gateway replied that it did not delete the task: check its status.',

  // Files that were not downloaded, and results of tasks that were not saved.
  'file-address-not-https':
    'The address of the file ({host}) is not an https address: nothing was downloaded.',
  'file-address-contains-credentials':
    'The address at {host} contains a user name or password: nothing was downloaded from it.',
  'file-address-contains-own-credential':
    'The address at {host} contains the credential of this gateway: nothing was downloaded from it.',
  'file-address-not-public':
    "The address points to {host} inside a private network, so it was not downloaded: if you trust it, open it yourself, or allow its origin in this gateway's resultOrigins.",
  'file-not-ready': 'The file at {host} is not ready yet (HTTP {status}): try again later.',
  'file-wrong-part': '{host} sent the wrong part of the file: download it again.',
  'file-too-large': 'The file is larger than the limit of {maxBytes}: allow more in the settings.',
  'file-cut': '{host} ended its reply early; the data received so far is saved.',
  'file-redirected-again': '{host} redirected the download too many times: the download was stopped.',
  'file-credential-refused':
    '{host} refused the credential for the download (HTTP {status}): check it, or set it again.',
  'file-rate-limited': '{host} limits the request rate (HTTP {status}): try again later.',
  'file-host-failed': '{host} failed (HTTP {status}): try again.',
  'file-missing': '{host} no longer has the file, or the link to it has expired (HTTP {status}).',
  'file-refused': '{host} refuses the download (HTTP {status}).',

  'result-gateway-not-connected': 'The gateway of the result is not connected: connect to it again.',
  'result-link-expired':
    'The link to the result has expired (HTTP {status}), and the gateway has no other link.',
  'result-in-cloud':
    "The result is in cloud storage that only your cloud account can access: download it with the cloud provider's tools.",
  'result-stopped': 'The download was stopped; the data received so far is saved.',
  'result-downloaded-elsewhere': 'Another window is downloading the result.',
  'result-empty': 'The result is empty.',
  'result-wrong-size': 'The download has {size} bytes instead of {announcedSize}: download it again.',
  'result-not-media': 'The download is not a video, picture or sound.',
  'result-of-other-type': 'The download is of type {mimeType}, not a video, picture or sound.',
  'result-web-page':
    'A web page was received instead of the result: sign in to the network, or check whether the result still exists at the gateway.',
  'result-unfinished': 'The download was cut off: download it again.',
  'result-unreadable': 'The result in the record cannot be read.',
  'result-without-space':
    'The result needs {neededBytes}, but only {freeBytes} is free in {folder}: free some space and download it again.',
  'result-rest-without-space':
    'There is not enough space for the rest of the result: after {receivedBytes}, only {freeBytes} is free in {folder}. Free some space and download it again.',
  'disk-full': 'The disk is full: free some space and download the result again.',
  'disk-quota-used-up': 'The disk quota is used up: free some space and download the result again.',
  'results-folder-not-writable':
    'The folder for results cannot be written to: choose another one in the settings.',
  'results-folder-read-only': 'The folder for results is read-only: choose another one in the settings.',
  'results-folder-path-too-long':
    'The path of the folder for results is too long: choose another one in the settings.',
  'result-file-in-use': 'Another program has the file open: close it there and download the result again.',
  'result-not-written': 'The result could not be written to disk ({code}).',

  // Parts of a conversation that a request omits: items of a list, not whole sentences.
  'omitted-image-of-system': 'an image in a system message',
  'omitted-reasoning-of-system': 'reasoning in a system message',
  'omitted-tool-call-of-system': 'a tool call in a system message',
  'omitted-tool-result-of-system': 'a tool result in a system message',
  'omitted-reasoning-of-user': 'reasoning in a user message',
  'omitted-tool-call-of-user': 'a tool call in a user message',
  'omitted-image-of-assistant': 'an image in an assistant message',
  'omitted-tool-result-of-assistant': 'a tool result in an assistant message',
  'omitted-system-position': 'the position of a system message',
  'omitted-image-type': 'an image of type {mimeType}',
  'omitted-reasoning': 'reasoning',
  'omitted-reasoning-signature': 'the signature of reasoning',
  'omitted-unsigned-reasoning': 'reasoning without a signature',
  'omitted-redacted-reasoning': 'redacted reasoning',
  'omitted-reasoning-of-another': 'the reasoning of another model or API format',
  'omitted-call-signature': 'the signature of a tool call',
  'omitted-call-arguments': 'the arguments of the call to {tool}, which are not a JSON object',
  'omitted-unanswered-call': 'a tool call without a result',
  'omitted-missing-picture': 'a picture that is no longer on the disk',
  'omitted-missing-file': '“{file}”, which is no longer on the disk',
  'omitted-missing-attachment': 'a file that is no longer on the disk',
  'omitted-unimported-file': '“{file}”, which was not part of the import',
  'omitted-unimported-attachment': 'a file that was not part of the import',
  'omitted-tool-name': 'the tool name of a result whose call is missing',

  // Conversations and files that were not imported, and their defects.
  'import-unknown-format':
    'The file has no conversations in a format that can be imported. Choose an export of ChatGPT, Claude, Open WebUI, LibreChat, VS Code, ShareGPT or this extension, or Markdown with front matter.',
  'import-empty': 'The file is empty.',
  'import-no-conversations': 'There are no conversations in the file.',
  'import-newer-version':
    'The file was written by a newer version of this extension (format version {version}): update the extension, then import it again.',
  'import-cut': 'The file is incomplete: its end is missing. Export it again, or download it again.',
  'import-unreadable': 'The file cannot be read any further: {cause}',
  'import-not-json': 'This is not valid JSON: {cause}',
  'import-not-a-conversation': 'This is not a conversation in a format that can be imported.',
  'import-damaged': 'This conversation is damaged: {member} is missing or invalid.',
  'import-no-messages': 'There are no messages in this conversation.',
  'import-rest-unread': 'The rest of the text does not belong to a conversation and was skipped.',
  'import-conversations-missing':
    'The file contained {count} conversations when it was written, but some are missing.',
  'import-too-large': 'This conversation is larger than {maxBytes}.',
  'import-too-deep': 'This conversation is nested too deeply.',
  'import-archive-damaged': 'The zip file is damaged: {cause}',
  'import-archive-encrypted': '{member} is encrypted in the zip file: unpack it, then import the files.',
  'import-archive-too-large':
    'The unpacked contents are far larger than the zip file: reading stopped. Unpack it, then import the files.',
  'import-folder-unknown':
    'The folder has no files with conversations in a format that can be imported. Zip files must be imported separately.',
  'import-folder-too-large':
    'The folder has far more files than an export: choose the folder that the export was unpacked into.',
  'import-archive-needs-file': 'A zip file can be imported only from a location that supports random access.',
  'import-ended':
    'The import ended early ({cause}). Import the file again; chats that are already there are not changed.',
  'import-not-saved': 'This conversation could not be saved: {cause}',
  'import-disk-full':
    'The disk is full. Free some space, then import the file again; chats that are already there are not changed.',
  'import-store-unwritable':
    'Chats cannot be saved here ({cause}). Import the file again later; chats that are already there are not changed.',

  'import-attachments-missing': 'Attachments missing from the file: {count}.',
  'import-attachments-damaged': 'Damaged attachments that were skipped: {count}.',
  'import-times-unknown':
    'Messages without a valid time that were given the time of an adjacent message: {count}.',
  'import-parents-missing':
    'Messages whose previous message is not in the file, and which now start a branch of their own: {count}.',
  'import-cycles-cut': 'Messages that formed a cycle, which was broken: {count}.',
  'import-ids-repeated': 'Messages with a duplicate ID that were given a new ID: {count}.',
  'import-fields-dropped': 'Invalid values that were skipped: {count}.',
  'import-parts-unknown': 'Parts of an unknown kind, which are stored but not shown: {count}.',
  'import-characters-replaced': 'Some invalid characters were replaced.',
} as const;
