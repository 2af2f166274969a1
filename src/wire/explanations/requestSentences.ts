/** Why a request did not leave, or is not waited for any longer. */
export const requestSentences = {
  'call-cancelled': 'The request was cancelled.',
  'wait-cancelled': 'The wait was cancelled.',
  'wait-timed-out': 'The task did not end in the time it was waited for: it may go on, wait for it again.',
  'task-unknown': 'The gateway does not know the task any more.',
  'request-unsendable': 'The request holds characters that cannot be sent over HTTP.',
  'credential-unreadable': 'The credential could not be read from secret storage: set it again.',
  'credential-unanswered': 'The secret storage did not answer in time, so nothing was sent: try again.',
  'credential-unsendable': 'The credential holds characters no credential has, such as spaces: set it again.',
  'base-url-not-an-address': 'The base URL is not an address: it should look like https://gateway.example.',
  'base-url-not-http': 'The base URL must begin with https://.',
  'base-url-plain-http':
    'Plain http is allowed only to this machine, and to a private network once you agreed: use https, or enter the address again to be asked.',
  'base-url-holds-credentials':
    'The base URL must not hold a user name or password: enter the credential by itself.',
  'base-url-holds-query': 'The base URL must not hold a query or a fragment: remove what follows ? or #.',
  'task-id-empty': 'The task cannot be asked for: its id is empty.',
  'task-id-too-long': 'The task cannot be asked for: its id is longer than {maxLength} characters.',
  'task-id-unprintable': 'The task cannot be asked for: its id holds control characters.',
  'sent-before-damage': 'The task file was damaged: it is unknown whether this was sent.',
  'gateway-not-connected':
    'No gateway with the address {address} is connected any more: connect to it again.',
  'account-not-connected':
    '{gateway} is not connected any more, and what else is connected at {address} may be another account: connect to {gateway} again, or rename the other one so if it is the same.',
  'gateway-not-started': '{gateway} did not start. {cause}',
  /** An error of this program or of the system, in its own words. */
  'not-asked': '{cause}',
} as const;
