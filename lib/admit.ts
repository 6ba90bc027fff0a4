/** One who asks for units: all of `amount`, or with `isPartly` as many of them as there are. */
export type Wish = { amount: number; isPartly: boolean };

/**
 * Who gets how much of what is left, first come, first served: a wish that does not fit gets nothing and keeps nobody
 * behind it out.
 */
export function admit(wishes: readonly Wish[], left: number): number[] {
  let remaining = Math.max(0, left);
  return wishes.map(({ amount, isPartly }) => {
    const granted = amount <= remaining ? amount : isPartly ? remaining : 0;
    remaining -= granted;
    return granted;
  });
}
