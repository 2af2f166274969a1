import { findNamedFile } from '../../src/base/fileReference.ts';
import { buildRouteUrl } from '../../src/client/gatewayAddress.ts';
import { OfferedToolNames } from '../../src/host/agents/languageModels/toolNames.ts';
import { readAddress } from '../../src/host/connection/typedAddress.ts';
import { withoutUpstream, withUpstream } from '../../src/host/gateway/local/configEdit.ts';
import { readUpstreamAddress } from '../../src/host/gateway/local/upstreamDraft.ts';
import { findForbiddenReason } from '../../src/http/publicAddress.ts';
import { readConfigText } from '../../src/localGateway/config/configText.ts';
import { readPromptOptions } from '../../src/localGateway/demo/promptOptions.ts';
import { readFormParts } from '../../src/localGateway/http/formBody.ts';
import { createPath } from '../../src/localGateway/upstreams/endpoint.ts';
import { toGatewayId } from '../../src/tasks/record/task.ts';
import { findLimitResetMs } from '../../src/wire/failures/retryHint.ts';
import { assertLinear } from '../support/linearCost.ts';

const route = {
  name: 'models',
  method: 'GET',
  path: '/models',
  group: 'models',
  credential: 'bearer',
} as const;
const tools = new OfferedToolNames(['read']);
const upstream = { name: 'b', kind: 'demo', baseUrl: '' };

/** Texts from outside: a unit that is repeated `n` times, and the function that reads the text. */
const readers: Readonly<
  Record<string, readonly [text: (n: number) => string, read: (text: string) => unknown]>
> = {
  'slashes in the address of a gateway': [
    (n) => `https://gateway.example/${'/'.repeat(n)}a`,
    (text) => buildRouteUrl(text, route),
  ],
  'slashes in the address of a gateway with tasks': [
    (n) => `https://gateway.example/${'/'.repeat(n)}a`,
    toGatewayId,
  ],
  'quotes around an address': [(n) => `https://gateway.example/${'>'.repeat(n)}a`, readAddress],
  'digits in the address of an upstream': [
    (n) => `https://upstream.example/v1${'0'.repeat(n)}-`,
    (text) => readUpstreamAddress(text, 'openai-compatible'),
  ],
  'dots in the host of a result': [
    (n) => `https://${'.'.repeat(n)}example/`,
    (text) => URL.canParse(text) && findForbiddenReason(new URL(text)),
  ],
  'letters in the name of a tool': [(n) => `${'a'.repeat(n)}.`, (text) => tools.find(text)],
  'lines of a configuration that is not JSON': [(n) => `a${'a\n'.repeat(n)}`, readConfigText],
  'names of a configuration that are repeated': [(n) => `{${'"a":1,\n'.repeat(n / 8)}}`, readConfigText],
  'tabs before an upstream': [
    (n) => `{"upstreams":[${'\t'.repeat(n)}{"name":"a"}]}`,
    (text) => [withUpstream(text, upstream), withoutUpstream(text, 'a')],
  ],
  'spaces in the head of a part of a form': [
    (n) => `--b\r\na:${' '.repeat(n)}\n\r\n\r\nx\r\n--b--`,
    (text) => {
      try {
        readFormParts(Buffer.from(text), 'multipart/form-data; boundary=b');
      } catch {
        // It is refused.
      }
    },
  ],
  'names of credentials in the query of a request': [
    (n) => 'key'.repeat(n / 3),
    (query) => createPath({ path: '/models' }, 'whole', query),
  ],
  'limits in the name of a header': [
    (n) => 'ratelimit'.repeat(n / 9),
    (name) => findLimitResetMs({ [name]: '1' }, new Date(0)),
  ],
  'calls for help to the demo model': [(n) => `${'帮助'.repeat(n / 2)}l`, readPromptOptions],
  'marks in the first lines of code': [
    (n) => `;${';'.repeat(300)}a\t${'\t'.repeat(300)}\n`.repeat(n / 600),
    (text) => {
      for (const line of text.split('\n')) findNamedFile('', line);
    },
  ],
};

describe('P9 twice as much text costs at most 2.3 times as much', function () {
  this.timeout(30_000);
  for (const [name, [text, read]] of Object.entries(readers))
    it(`with ${name}`, () => assertLinear(text, read, 20_000));
});
