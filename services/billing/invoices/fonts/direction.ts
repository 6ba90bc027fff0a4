/** From left to right, or from right to left. */
export type TextDirection = 'ltr' | 'rtl';
