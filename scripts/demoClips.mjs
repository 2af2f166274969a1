// `node scripts/demoClips.mjs`: renders the videos of the local gateway's demo model, media/demo/*.mp4, and prints
// their sizes. Needs ffmpeg; the pictures are drawn in Chromium.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { findChromium } from './chromium.mjs';
import { run } from './processes.mjs';
import { Advice, step } from './progress.mjs';
import { root } from './root.mjs';
import { underPinnedNode } from './setup.mjs';

const seconds = 5;
const framesPerSecond = 24;
/** They are part of the extension's package. */
const mostBytes = 80_000;

const clips = [
  { name: 'landscape', width: 640, height: 360, sound: true },
  { name: 'portrait', width: 360, height: 640, sound: false },
  { name: 'square', width: 480, height: 480, sound: false },
];

/** @typedef {typeof clips[number]} Clip */

await underPinnedNode(import.meta.url, async () => {
  await run('ffmpeg', ['-version']).catch(() => {
    throw new Advice('This needs ffmpeg: apt-get install ffmpeg, brew install ffmpeg, or ffmpeg.org.');
  });
  const { chromium } = await import('playwright-core');
  const executablePath = await step('Finding a browser', findChromium);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    await mkdir(new URL('media/demo/', root), { recursive: true });
    const page = await browser.newPage();
    for (const clip of clips) await step(`${clip.name}.mp4`, (say) => render(page, clip, say));
  } finally {
    await browser.close();
  }
});

/**
 * @param {import('playwright-core').Page} page
 * @param {Clip} clip
 * @param {(note: string) => void} say
 */
async function render(page, clip, say) {
  const file = fileURLToPath(new URL(`media/demo/${clip.name}.mp4`, root));
  const encoder = spawn('ffmpeg', [...inputs(clip), ...encoding(clip), '-y', file], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(encoder, 'exit');
  await page.setContent(`<canvas width="${clip.width}" height="${clip.height}"></canvas>`);
  await page.addScriptTag({ content: String(drawScene) });
  for (let frame = 0; frame < seconds * framesPerSecond; frame++) {
    const picture = await page.evaluate(pictureAt, frame / (seconds * framesPerSecond));
    encoder.stdin.write(Buffer.from(picture, 'base64'));
  }
  encoder.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Advice(`ffmpeg ended with ${code}.`);
  const { size } = await stat(file);
  if (size > mostBytes) throw new Advice(`${file} has ${size} bytes; the limit is ${mostBytes}.`);
  say(`${size} bytes`);
}

/** A soft chord that swells and fades, where there is sound. @param {Clip} clip */
function inputs({ sound }) {
  const chord = [220, 277.18, 329.63, 440].map((pitch) => `0.03*sin(2*PI*${pitch}*t)`).join('+');
  const swell = `(${chord})*sin(PI*t/${seconds})`;
  return [
    '-loglevel',
    'error',
    '-f',
    'image2pipe',
    '-framerate',
    String(framesPerSecond),
    '-c:v',
    'png',
    '-i',
    'pipe:0',
    ...(sound ? ['-f', 'lavfi', '-i', `aevalsrc=${swell}:s=44100:d=${seconds}`] : []),
  ];
}

/** A profile that all players support; playing begins before the whole file is loaded. @param {Clip} clip */
function encoding({ sound }) {
  return [
    '-c:v',
    'libx264',
    '-profile:v',
    'main',
    '-pix_fmt',
    'yuv420p',
    '-preset',
    'veryslow',
    '-crf',
    '31',
    ...(sound ? ['-c:a', 'aac', '-b:a', '32k', '-ac', '1', '-shortest'] : []),
    // Omits the encoder's name, so that every machine with the same encoder writes the same bytes.
    '-threads',
    '1',
    '-bsf:v',
    'filter_units=remove_types=6',
    '-fflags',
    '+bitexact',
    '-flags',
    '+bitexact',
    '-movflags',
    '+faststart',
    '-map_metadata',
    '-1',
  ];
}

/**
 * The frame at a moment between 0, the start, and 1, the end. Runs in the page.
 *
 * @param {number} moment
 * @returns {string} a PNG, base64
 */
function pictureAt(moment) {
  const canvas = globalThis.document.querySelector('canvas');
  drawScene(canvas.getContext('2d'), canvas.width, canvas.height, moment);
  return canvas.toDataURL('image/png').split(',')[1];
}

/**
 * Balloons over hills at sunrise. Runs in the page, so it cannot use anything from outside itself.
 *
 * @param {any} context of a canvas
 * @param {number} width
 * @param {number} height
 * @param {number} moment
 */
function drawScene(context, width, height, moment) {
  const small = Math.min(width, height);
  const turn = 2 * Math.PI;

  /** @param {readonly number[]} night @param {readonly number[]} day */
  const between = (night, day) => {
    const ease = moment * moment * (3 - 2 * moment);
    return `rgb(${night.map((value, i) => Math.round(value + ((day[i] ?? value) - value) * ease)).join(' ')})`;
  };

  const sky = () => {
    const gradient = context.createLinearGradient(0, 0, 0, height);
    gradient.addColorStop(0, between([34, 36, 84], [86, 156, 214]));
    gradient.addColorStop(0.55, between([176, 92, 120], [186, 214, 232]));
    gradient.addColorStop(0.8, between([240, 150, 104], [253, 230, 190]));
    context.fillStyle = gradient;
    context.fillRect(0, 0, width, height);
  };

  const sun = () => {
    context.fillStyle = between([255, 196, 120], [255, 244, 210]);
    context.beginPath();
    context.arc(width * 0.7, height * (0.72 - 0.5 * moment), small * 0.09, 0, turn);
    context.fill();
  };

  const hills = (level, waves, speed, night, day) => {
    context.fillStyle = between(night, day);
    context.beginPath();
    context.moveTo(0, height);
    for (let x = 0; x <= width; x += 2) {
      const phase = turn * ((waves * x) / width + speed * moment);
      const y = Math.sin(phase) + 0.4 * Math.sin(2 * phase + level * 20);
      context.lineTo(x, height * level - y * small * 0.035);
    }
    context.lineTo(width, height);
    context.fill();
  };

  const balloon = (x, y, size, drift, colors) => {
    context.save();
    context.translate(
      width * (x + drift * moment),
      height * (y - 0.16 * moment) + Math.sin(turn * (moment + x)) * size * 0.12,
    );
    for (let stripe = 0; stripe < 5; stripe++) {
      context.fillStyle = colors[stripe % colors.length];
      context.beginPath();
      context.ellipse(0, 0, size * (1 - stripe * 0.22), size * 1.12, 0, 0, turn);
      context.fill();
    }
    context.strokeStyle = '#3b2a2a';
    context.lineWidth = size * 0.04;
    for (const side of [-1, 1]) {
      context.beginPath();
      context.moveTo(side * size * 0.45, size);
      context.lineTo(side * size * 0.16, size * 1.55);
      context.stroke();
    }
    context.fillStyle = '#7a4e2d';
    context.fillRect(-size * 0.2, size * 1.52, size * 0.4, size * 0.28);
    context.restore();
  };

  // At the top: the controls of a player lie over the bottom.
  const label = () => {
    const size = small * 0.062;
    context.font = `600 ${size}px 'DejaVu Sans', sans-serif`;
    const text = 'Demo clip';
    const wide = context.measureText(text).width + size * 1.4;
    context.fillStyle = 'rgb(0 0 0 / 62%)';
    context.beginPath();
    context.roundRect(size * 0.7, size * 0.7, wide, size * 1.8, size * 0.9);
    context.fill();
    context.fillStyle = '#fff';
    context.textBaseline = 'middle';
    context.fillText(text, size * 1.4, size * 1.62);
  };

  sky();
  sun();
  hills(0.7, 1.5, 0.25, [92, 62, 104], [140, 176, 196]);
  balloon(0.22, 0.44, small * 0.11, 0.1, ['#c8443a', '#f2e3c9']);
  balloon(0.58, 0.62, small * 0.06, -0.06, ['#2f6f8f', '#f4d35e']);
  hills(0.78, 1, 0.5, [66, 46, 84], [98, 146, 142]);
  balloon(0.82, 0.55, small * 0.085, -0.12, ['#6a4c93', '#f7c59f']);
  hills(0.88, 0.75, 1, [40, 30, 60], [58, 104, 90]);
  label();
}
