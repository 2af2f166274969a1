// The least that Node itself takes to pass requests on: both bodies piped, nothing looked at. Takes the
// upstream's port, prints its own.
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

const port = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true });

const server = createServer((asked, answer) => {
  const { method, url: path, headers } = asked;
  const passed = request({ host: '127.0.0.1', port, method, path, headers, agent }, (reply) => {
    answer.writeHead(reply.statusCode ?? 0, reply.rawHeaders);
    reply.pipe(answer);
  });
  asked.pipe(passed);
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
