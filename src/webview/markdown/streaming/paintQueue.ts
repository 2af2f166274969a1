/** Something to paint: one call paints a bounded amount and returns whether there is more. */
export interface Painter {
  paint(): boolean;
}

/** The painting time per frame, in milliseconds. The rest of the frame is for layout. */
const maxPaintMs = 6;

/**
 * The minimum time between two paints, in milliseconds: every other frame of a 60 Hz display. Text that grows
 * thirty times a second looks as smooth, for half the work.
 */
const minPaintIntervalMs = 24;

const waiting = new Set<Painter>();
/** The painters of the last frame, if it had no time for all: the others come first in the next one. */
const doneLast = new Set<Painter>();
let lastPaint = Number.NEGATIVE_INFINITY;

/** Schedules `painter` for the next frames, until it is done. */
export function requestPaint(painter: Painter): void {
  if (waiting.size === 0) requestAnimationFrame(paintFrame);
  waiting.add(painter);
}

function paintFrame(now: number): void {
  if (now - lastPaint >= minPaintIntervalMs && !paintWaiting()) lastPaint = now;
  if (waiting.size > 0) requestAnimationFrame(paintFrame);
}

/**
 * Paints the newest painter first, because a reader looks at the end of a long conversation when it opens.
 *
 * @returns whether to continue in the next frame
 */
function paintWaiting(): boolean {
  const deadline = performance.now() + maxPaintMs;
  const newestFirst = [...waiting].reverse();
  const inTurn = [
    ...newestFirst.filter((painter) => !doneLast.has(painter)),
    ...newestFirst.filter((painter) => doneLast.has(painter)),
  ];
  doneLast.clear();
  for (const painter of inTurn) {
    let hasMore = painter.paint();
    while (hasMore && performance.now() <= deadline) hasMore = painter.paint();
    if (!hasMore) {
      waiting.delete(painter);
      doneLast.add(painter);
    }
    // Many painters with little to paint take as long as one with much.
    if (performance.now() > deadline) return waiting.size > 0;
  }
  doneLast.clear();
  return false;
}
