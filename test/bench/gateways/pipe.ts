// The lower bound for forwarding requests in Node: both bodies are piped without inspection. Takes the upstream's
// port as argument, prints its own.
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

const port = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true });

const server = createServer((received, response) => {
  const { method, url: path, headers } = received;
  const passed = request({ host: '127.0.0.1', port, method, path, headers, agent }, (reply) => {
    response.writeHead(reply.statusCode ?? 0, reply.rawHeaders);
    reply.pipe(response);
  });
  received.pipe(passed);
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
