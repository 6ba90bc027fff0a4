/**
 * The bytes with one bit of every place changed that holds `text`. A page keeps remains of what it once held, where a
 * change means nothing, so all places are changed.
 */
export function withBitFlipped(bytes: Buffer, text: string): Buffer {
  const changed = Buffer.from(bytes);
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at);
  if (places.length === 0) throw new Error(`No place holds ${text}`);
  for (const at of places) changed[at] = changed[at]! ^ 1;
  return changed;
}
