import type { IncomingMessage } from 'node:http';

/** In bytes. Smaller chunks may share their memory, and are not worth it. */
const minChunk = 16 * 1024;

/**
 * Frees the memory of a chunk that nothing reads any more; the chunk is empty from then on. The engine counts memory
 * outside its heap and collects the whole heap when there is much of it: a transfer of large chunks would cost such a
 * collection every few dozen megabytes, and hold that memory until then. A chunk that shares its memory is left as it is.
 */
export function detachBuffer({ buffer, byteLength }: Uint8Array): void {
  if (byteLength >= minChunk && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/**
 * Frees what was read from the connection of an answer, for which nothing else would: Node's parser copies the body into
 * chunks of its own. Where a chunk shares its memory with what was read, that is left as it is.
 */
export function detachReadBuffers(answer: IncomingMessage): void {
  const { socket, push } = answer;
  // Where the runtime does not read by this event, listening to it would be the first reader.
  if (socket.listenerCount('data') === 0) return;
  let read: Uint8Array | null = null;
  const began = (bytes: Uint8Array): void => {
    read = bytes;
  };
  const parsed = (): void => {
    if (read) detachBuffer(read);
  };
  answer.push = (chunk: Uint8Array | null, encoding) => {
    if (chunk?.buffer === read?.buffer) read = null;
    return push.call(answer, chunk, encoding);
  };
  socket.prependListener('data', began).on('data', parsed);
  const stop = () => socket.off('data', began).off('data', parsed);
  // A connection may serve the next answer before this one is closed.
  answer.once('end', stop).once('close', stop);
}
