import type { ToFrame, ToLoader } from './protocol.ts';

/** The page that embeds the frame. Only the origins in `frame-ancestors` can. */
type Host = { post: (message: ToLoader) => void };

/** Exchanges messages with the loader in the parent page, and with no other window. */
export function connectHost(receive: (message: ToFrame) => void): Host {
  let hostOrigin: string | null = null;
  addEventListener('message', ({ source, origin, data }: MessageEvent<ToFrame>) => {
    if (source !== window.parent || window.parent === window || typeof data?.type !== 'string') return;
    if (data.type === 'init') hostOrigin ??= origin;
    if (origin === hostOrigin) receive(data);
  });
  // The message has no content, so any origin may receive it.
  if (window.parent !== window) window.parent.postMessage({ type: 'ready' } satisfies ToLoader, '*');
  return {
    post(message) {
      if (hostOrigin !== null) window.parent.postMessage(message, hostOrigin);
    },
  };
}
