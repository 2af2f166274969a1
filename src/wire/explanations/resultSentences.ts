/** Why the result of a task was not saved. */
export const resultSentences = {
  'result-gateway-not-connected': 'The gateway that made the result is not connected: connect to it again.',
  'result-link-expired':
    'The link to the result has expired (HTTP {status}), and the gateway names no other.',
  'result-in-cloud':
    "The result lies in a cloud's own storage, which opens only to your account there: fetch it with the cloud's tools.",
  'result-stopped': 'Fetching was stopped; what came until then is kept.',
  'result-fetched-elsewhere': 'Another window fetches the result.',
  'result-empty': 'The result is empty.',
  'result-wrong-size':
    'The result is not of the size announced, in bytes: {size} instead of {announcedSize}.',
  'result-not-media': 'What came instead of the result is no video, picture or sound.',
  'result-of-other-type': 'What came instead of the result is of type {mimeType}.',
  'result-web-page':
    'A web page came instead of the result: sign in to the network, or ask the gateway whether the result is still there.',
  'result-unfinished': 'The result broke off before its end: fetch it again.',
  'result-unreadable': 'The result within the record is not readable.',
  'result-too-large': 'The result is larger than the limit: allow more in the settings.',
  'result-without-space':
    'The result needs {neededBytes}, and {freeBytes} are free in {folder}: free some space and fetch it again.',
  'result-rest-without-space':
    'There is no room for the rest of the result: after {receivedBytes}, only {freeBytes} are free in {folder}: free some space and fetch it again.',
  'disk-full': 'The disk is full: free some space and fetch the result again.',
  'disk-quota-used-up': 'The disk quota is used up: free some space and fetch the result again.',
  'results-folder-not-writable':
    'The folder for results cannot be written to: choose another one in the settings.',
  'results-folder-read-only': 'The folder for results is read-only: choose another one in the settings.',
  'results-folder-path-too-long':
    'The path of the folder for results is too long: choose another one in the settings.',
  'result-file-in-use': 'Another program holds the file: fetch the result again.',
  'result-not-written': 'The result could not be written to disk ({code}).',
} as const;
