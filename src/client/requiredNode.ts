/** Node 22.15 added zstd to `node:zlib`, the newest part of Node that the client uses. */
const minMajor = 22;
const minMinor = 15;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < minMajor || (major === minMajor && minor < minMinor)) {
  throw new Error(
    `The client of Model Gateway needs Node ${minMajor}.${minMinor} or newer, and this is Node ${process.versions.node}.`,
  );
}

export {};
