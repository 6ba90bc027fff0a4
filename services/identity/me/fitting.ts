/** The first items whose JSON fits into `bytesMax` bytes, and whether there are more. */
export function fitting<T>(items: T[], bytesMax: number): { items: T[]; isShortened: boolean } {
  let bytes = 0;
  const tooMany = items.findIndex((item) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    return bytes > bytesMax;
  });
  return tooMany === -1 ? { items, isShortened: false } : { items: items.slice(0, tooMany), isShortened: true };
}
