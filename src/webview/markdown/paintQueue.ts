/** Something to paint: one call paints a bounded amount and returns whether there is more. */
export interface Painter {
  paint(): boolean;
}

/** How much of a frame painting may take, in milliseconds. Layout needs the rest. */
const budget = 6;

const waiting = new Set<Painter>();

/** Has `painter` paint in the next frame, and in those after it until it is done. */
export function requestPaint(painter: Painter): void {
  if (waiting.size === 0) requestAnimationFrame(paintFrame);
  waiting.add(painter);
}

/** The newest comes first: it is what the reader looks at when a long conversation is opened. */
function paintFrame(): void {
  const deadline = performance.now() + budget;
  for (const painter of [...waiting].reverse()) {
    while (painter.paint()) if (performance.now() > deadline) return void requestAnimationFrame(paintFrame);
    waiting.delete(painter);
  }
}
