/** In bytes. Smaller chunks may share their memory, and are not worth it. */
const minChunk = 16 * 1024;

/**
 * Frees the memory of a chunk that nothing reads any more; the chunk is empty from then on. The engine counts memory
 * outside its heap and collects the whole heap when there is much of it: a transfer of large chunks would cost such a
 * collection every few dozen megabytes, and hold that memory until then. A chunk that shares its memory is left as it is.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (byteLength >= minChunk && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
