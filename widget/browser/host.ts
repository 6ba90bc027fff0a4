import type { ToFrame, ToLoader } from './protocol.ts';

/** The page that holds the frame. Only those that `frame-ancestors` names can. */
export type Host = { post: (message: ToLoader) => void };

/** Talks to the loader in the page around this frame, and to no other window. */
export function connectHost(receive: (message: ToFrame) => void): Host {
  let hostOrigin: string | null = null;
  addEventListener('message', ({ source, origin, data }: MessageEvent<ToFrame>) => {
    if (source !== window.parent || window.parent === window || typeof data?.type !== 'string') return;
    if (data.type === 'init') hostOrigin ??= origin;
    if (origin === hostOrigin) receive(data);
  });
  // It says nothing, so that any page may get it.
  if (window.parent !== window) window.parent.postMessage({ type: 'ready' } satisfies ToLoader, '*');
  return {
    post(message) {
      if (hostOrigin !== null) window.parent.postMessage(message, hostOrigin);
    },
  };
}
