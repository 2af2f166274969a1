/**
 * Keeps the page from taking the focus by itself, as for a question that failed after a while: the keys of a credential
 * that the user types elsewhere in VS Code would arrive here.
 */
export function leaveFocusElsewhere(): void {
  const { focus } = HTMLElement.prototype;
  HTMLElement.prototype.focus = function takeFocus(options) {
    if (document.hasFocus()) focus.call(this, options);
  };
}
