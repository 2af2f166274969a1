/** The wheel changes the number that has the focus; whoever turns it wants to scroll. */
export function leaveOnWheel({ currentTarget }: WheelEvent): void {
  if (currentTarget instanceof HTMLElement) currentTarget.blur();
}
