// @musistudio/llms with one provider. Takes the upstream's port and its own.
import { createRequire } from 'node:module';

const [upstreamPort, port] = process.argv.slice(2);
const { default: Server } = createRequire(import.meta.url)('@musistudio/llms');
const provider = {
  name: 'one',
  api_base_url: `http://127.0.0.1:${upstreamPort}/v1/chat/completions`,
  api_key: 'x',
  models: ['bench'],
};
const server = new Server({
  logger: false,
  initialConfig: { providers: [provider], PORT: Number(port), HOST: '127.0.0.1' },
});
await server.start();
