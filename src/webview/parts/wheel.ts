/** Blurs a number field on wheel events, so that they scroll the page and do not change the number. */
export function leaveOnWheel({ currentTarget }: WheelEvent): void {
  if (currentTarget instanceof HTMLElement) currentTarget.blur();
}
