// An upstream in a separate process, which can be killed in the middle of an endless reply. Prints its address.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"n":1}\n\n');
});
server.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`),
);
process.on('disconnect', () => process.exit());
