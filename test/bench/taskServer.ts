// Replies to every read of a task with the record of a running task. Prints its port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  const id = request.url?.split('/').at(-1);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ id, object: 'task', status: 'running', model: 'bench', progress: 40 }));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
