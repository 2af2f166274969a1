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

const waitingPainters = new Set<Painter>();
/**
 * The painters that finished in the last frame, if it did not have time for all. The others are painted first in the
 * next one.
 */
const doneInLastFrame = new Set<Painter>();
let lastPaint = Number.NEGATIVE_INFINITY;

/** Schedules `painter` for the next frames, until it is done. */
export function requestPaint(painter: Painter): void {
  if (waitingPainters.size === 0) requestAnimationFrame(paintFrame);
  waitingPainters.add(painter);
}

function paintFrame(now: number): void {
  // Work that did not fit into a frame continues in the next one.
  if (now - lastPaint >= minPaintIntervalMs && !paintWaiting()) lastPaint = now;
  if (waitingPainters.size > 0) requestAnimationFrame(paintFrame);
}

/**
 * Paints the newest painter first, because a reader looks at the end of a long conversation when it opens.
 *
 * @returns whether to continue in the next frame
 */
function paintWaiting(): boolean {
  const deadline = performance.now() + maxPaintMs;
  const newestFirst = [...waitingPainters].reverse();
  const ordered = [
    ...newestFirst.filter((painter) => !doneInLastFrame.has(painter)),
    ...newestFirst.filter((painter) => doneInLastFrame.has(painter)),
  ];
  doneInLastFrame.clear();
  for (const painter of ordered) {
    let hasMore = painter.paint();
    while (hasMore && performance.now() <= deadline) hasMore = painter.paint();
    if (!hasMore) {
      waitingPainters.delete(painter);
      doneInLastFrame.add(painter);
    }
    // Many painters with little to paint take as long as one painter with much to paint.
    if (performance.now() > deadline) return waitingPainters.size > 0;
  }
  doneInLastFrame.clear();
  return false;
}
