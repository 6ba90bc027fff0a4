import type { IncomingMessage } from 'node:http';

/** In bytes. Smaller chunks may share a pooled buffer, and are not worth detaching. */
const minChunk = 16 * 1024;

/**
 * Frees the memory of a chunk that is no longer read; the chunk is empty afterwards. V8 counts memory outside its heap
 * and runs a full collection when there is much of it: a transfer of large chunks would trigger one every few dozen
 * megabytes, and hold the memory until then. A chunk of a shared buffer is not detached.
 */
export function detachBuffer({ buffer, byteLength }: Uint8Array): void {
  if (byteLength >= minChunk && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/**
 * Frees the buffers that were read from the socket of an answer; Node does not, because its parser copies the body into
 * separate chunks. A buffer that a chunk shares is not detached.
 */
export function detachReadBuffers(answer: IncomingMessage): void {
  const { socket, push } = answer;
  // Where the runtime does not read by this event, a listener would start the flow and steal the data.
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
