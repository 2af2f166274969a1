/** The elements of formulas. They do not load, link or run anything, and contain only MathML. */
export const mathMlTags = [
  ...['math', 'mrow', 'mi', 'mn', 'mo', 'mtext', 'ms', 'mspace'],
  ...['mfrac', 'msqrt', 'mroot', 'mstyle', 'mpadded', 'mphantom', 'menclose', 'merror'],
  ...['msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover', 'mmultiscripts'],
  ...['mtable', 'mtr', 'mtd', 'mprescripts', 'none'],
];

/** Their attributes: sizes and switches. Colours come from the theme. */
export const mathMlAttributes = [
  ...['display', 'displaystyle', 'scriptlevel', 'mathvariant', 'mathsize', 'dir'],
  ...['accent', 'accentunder', 'fence', 'form', 'largeop', 'linethickness', 'lspace', 'rspace'],
  ...['maxsize', 'minsize', 'movablelimits', 'separator', 'stretchy', 'symmetric'],
  ...['width', 'height', 'depth', 'voffset', 'columnspan', 'rowspan'],
];

/** The classes that the style sheet supports. */
export const mathMlClasses = [
  ...['tml-display', 'tml-left', 'tml-right', 'tml-jot', 'tml-small', 'tml-tag', 'tml-fbox'],
  ...['tml-overline', 'tml-underline', 'tml-cancel', 'upstrike', 'downstrike', 'sout', 'tml-xcancel'],
  ...['tml-sml-pad', 'tml-med-pad', 'tml-lrg-pad'],
  ...['tml-tilde-2', 'tml-tilde-3', 'tml-tilde-4', 'tml-hat-1', 'tml-hat-2', 'tml-hat-3', 'tml-hat-4'],
  ...['chr-sml', 'chr-med', 'chr-lrg', 'chr-sml-vec', 'chr-med-vec', 'chr-lrg-vec', 'tml-vec'],
  ...['pad-left-none', 'pad-right-none', 'pad-left-wide', 'pad-right-wide', 'boxed'],
  ...['line-left', 'line-right', 'line-top', 'line-bottom', 'whole-width', 'half-width'],
];
