import bidiFactory, { type Bidi } from 'bidi-js';

/** The Unicode Bidirectional Algorithm. The package is CommonJS, but its types speak of a module. */
export const bidi = (bidiFactory as unknown as () => Bidi)();

/** From left to right, or from right to left. */
export type TextDirection = 'ltr' | 'rtl';
