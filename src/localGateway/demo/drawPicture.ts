import { crc32, deflateSync } from 'node:zlib';
import type { SeededRandom } from './seededRandom.ts';

export interface Picture {
  readonly mimeType: 'image/png';
  readonly width: number;
  readonly height: number;
  /** Base64. */
  readonly data: string;
}

const width = 256;
const height = 160;

type Color = readonly [red: number, green: number, blue: number];

/** Draws hills under a sun. The same `random` results in the same picture. */
export function drawPicture(random: SeededRandom): Picture {
  const sky: readonly [Color, Color] = [
    mixColor(random, [70, 130, 200], 60),
    mixColor(random, [190, 200, 200], 55),
  ];
  const sun = {
    x: width * (0.2 + 0.6 * random()),
    y: height * (0.2 + 0.2 * random()),
    radius: 14 + 12 * random(),
  };
  const hills = Array.from({ length: 3 }, (_, i) => ({
    color: mixColor(random, [80 - 20 * i, 140 - 25 * i, 90 - 20 * i], 50),
    top: height * (0.5 + 0.15 * i),
    swing: height * (0.05 + 0.08 * random()),
    length: width / (1 + 2 * random()),
    shift: 2 * Math.PI * random(),
  }));
  const findColor = (x: number, y: number): Color => {
    const hill = hills.findLast(
      ({ top, swing, length, shift }) => y > top + swing * Math.sin((2 * Math.PI * x) / length + shift),
    );
    if (hill) return hill.color;
    if (Math.hypot(x - sun.x, y - sun.y) < sun.radius) return [255, 236, 170];
    return blendColors(sky, y / height);
  };
  return { mimeType: 'image/png', width, height, data: encodePng(findColor).toString('base64') };
}

/** Mixes a random colour. Each channel is between `darkest` and `darkest + spread`, and at most 255. */
function mixColor(random: SeededRandom, darkest: Color, spread: number): Color {
  const mixChannel = (i: 0 | 1 | 2) => Math.min(255, Math.round(darkest[i] + spread * random()));
  return [mixChannel(0), mixChannel(1), mixChannel(2)];
}

function blendColors([from, to]: readonly [Color, Color], share: number): Color {
  const blendChannel = (i: 0 | 1 | 2) => Math.round(from[i] + (to[i] - from[i]) * share);
  return [blendChannel(0), blendChannel(1), blendChannel(2)];
}

/** Encodes a PNG with eight bits per channel and no filter. */
function encodePng(findColor: (x: number, y: number) => Color): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: width }, (_, x) => findColor(x, y)).flat()]),
  );
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    encodeChunk('IHDR', header),
    encodeChunk('IDAT', deflateSync(Buffer.concat(rows))),
    encodeChunk('IEND', Buffer.alloc(0)),
  ]);
}

function encodeChunk(type: string, data: Buffer): Buffer {
  const typeAndData = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(typeAndData), 4);
  return Buffer.concat([frame.subarray(0, 4), typeAndData, frame.subarray(4)]);
}
