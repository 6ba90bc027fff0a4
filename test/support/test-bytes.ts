/** Some bytes of an endless content in which every place differs from its neighbours. */
export function testBytes(at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let index = 0; index < length; index += 1) bytes[index] = ((at + index) * 31 + ((at + index) >> 8)) & 0xff;
  return bytes;
}
