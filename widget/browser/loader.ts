/**
 * Loader of the widget: a classic script, because modules do not know their own URL. It shows the launcher in a closed
 * shadow root, and creates the frame with the conversation when it is first opened, or in an idle moment for a visitor
 * who has written before.
 */
import { element, icon, isRightToLeft, languageOf, style, wordsOf } from './loader-look.ts';
import { keepToken, readToken } from './loader-storage.ts';
import type { TeamMessage, ToFrame, ToLoader, WidgetOptions } from './protocol.ts';

declare global {
  interface Window {
    ConnectWidget?: typeof api;
  }
}

type Look = { accent: string; onAccent: string };
type Listener = (message: TeamMessage) => void;

/** State of one site's widget in the page. */
type Widget = {
  options: WidgetOptions;
  host: HTMLElement;
  launcher: HTMLButtonElement;
  badge: HTMLElement;
  panel: HTMLElement;
  frame: HTMLIFrameElement | null;
  isReady: boolean;
  isOpen: boolean;
};

const script = document.currentScript as HTMLScriptElement | null;
const origin = new URL(script?.src ?? location.href).origin;

const listeners = new Set<Listener>();
let widget: Widget | null = null;

const api = {
  /** Shows the launcher. Called again, it applies changed options. */
  init(options: WidgetOptions): void {
    if (typeof options?.tenantId !== 'string') throw new TypeError('ConnectWidget.init needs a tenantId.');
    if (widget && JSON.stringify(widget.options) === JSON.stringify(options)) return;
    const isSameSite = widget?.options.tenantId === options.tenantId && widget.options.siteId === options.siteId;
    if (widget && isSameSite) {
      widget.options = structuredClone(options);
      initFrame(widget);
      return;
    }
    remove();
    const made = makeWidget(structuredClone(options));
    widget = made;
    if (document.body) void show(made);
    else addEventListener('DOMContentLoaded', () => widget === made && void show(made), { once: true });
  },
  open(): void {
    if (widget) setOpen(widget, true);
  },
  close(): void {
    if (widget) setOpen(widget, false);
  },
  /** Calls a function with each new message of the organization. Returns the unsubscribe function. */
  onMessage(listener: Listener): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

function makeWidget(options: WidgetOptions): Widget {
  const host = document.createElement('connect-widget');
  const root = host.attachShadow({ mode: 'closed' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
  const launcher = element('button', 'launcher');
  launcher.type = 'button';
  const badge = element('span', 'badge');
  badge.hidden = true;
  launcher.append(icon('talk'), icon('down'), badge);
  const panel = element('div', 'panel');
  panel.hidden = true;
  // The panel follows the launcher, so that Tab moves from the launcher into the conversation.
  root.append(launcher, panel);
  const made: Widget = { options, host, launcher, badge, panel, frame: null, isReady: false, isOpen: false };
  launcher.onclick = () => setOpen(made, !made.isOpen);
  label(made);
  return made;
}

function label({ options, launcher, badge, isOpen, host }: Widget, unread = Number(badge.textContent)): void {
  const { open, close, unread: unreadWords } = wordsOf(options);
  host.dir = isRightToLeft(options) ? 'rtl' : 'ltr';
  badge.hidden = unread === 0 || isOpen;
  badge.textContent = String(Math.min(unread, 99));
  launcher.setAttribute('aria-expanded', String(isOpen));
  launcher.setAttribute('aria-label', isOpen ? close : unread > 0 ? `${open} (${unreadWords(unread)})` : open);
}

/** Shows the launcher in the site's colour, if the site's widget is enabled and allowed on this page. */
async function show(made: Widget): Promise<void> {
  const { tenantId, siteId } = made.options;
  const query = new URLSearchParams({ tenantId, ...(siteId && { siteId }) });
  try {
    const answer = await fetch(`${origin}/v1/widget/site?${query}`, { credentials: 'omit' });
    const body = (await answer.json()) as { light?: Look; dark?: Look; message?: string };
    if (!answer.ok && answer.status < 500 && answer.status !== 429) {
      console.warn(`ConnectWidget: ${body.message ?? answer.status}`);
      if (widget === made) remove();
      return;
    }
    for (const scheme of ['light', 'dark'] as const) {
      made.host.style.setProperty(`--${scheme}`, body[scheme]?.accent ?? '');
      made.host.style.setProperty(`--on-${scheme}`, body[scheme]?.onAccent ?? '');
    }
  } catch {
    // The page's policy may forbid the request; the frame reports later whether it may be shown.
  }
  if (widget !== made) return;
  document.body.append(made.host);
  label(made);
  if (made.isOpen || readToken(made.options) !== null || made.options.userHash) whenIdle(() => makeFrame(made));
}

function whenIdle(work: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(work, { timeout: 3000 });
  else setTimeout(work, 500);
}

function makeFrame(made: Widget): void {
  if (made.frame || widget !== made) return;
  const { tenantId, siteId } = made.options;
  const frame = document.createElement('iframe');
  frame.title = wordsOf(made.options).chat;
  frame.src = `${origin}/widget/frame?${new URLSearchParams({ tenantId, ...(siteId && { siteId }) })}`;
  frame.allow = 'autoplay';
  made.frame = frame;
  made.panel.append(frame);
}

function post({ frame }: Widget, message: ToFrame): void {
  frame?.contentWindow?.postMessage(message, origin);
}

function initFrame(made: Widget): void {
  label(made);
  if (!made.isReady) return;
  const { options } = made;
  const locale = languageOf(options);
  const look = { isRightToLeft: isRightToLeft(options) };
  post(made, { type: 'init', options: { ...options, locale }, token: readToken(options), ...look });
  if (made.isOpen) post(made, { type: 'open' });
}

function setOpen(made: Widget, isOpen: boolean): void {
  if (made.isOpen === isOpen) return;
  made.isOpen = isOpen;
  if (isOpen && made.host.isConnected) makeFrame(made);
  made.panel.hidden = !isOpen;
  label(made);
  fitViewport(made);
  if (isOpen) made.frame?.focus();
  else if (document.activeElement === made.host || document.activeElement === document.body) made.launcher.focus();
  if (made.isReady) post(made, { type: isOpen ? 'open' : 'close' });
}

/** Fits the frame into the visual viewport: a phone's keyboard covers the page without resizing the frame. */
function fitViewport({ isOpen, panel }: Widget): void {
  const seen = window.visualViewport;
  if (!isOpen || !seen) return;
  const place = { left: seen.offsetLeft, top: seen.offsetTop, width: seen.width, height: seen.height };
  for (const [name, value] of Object.entries(place)) panel.style.setProperty(`--${name}`, `${value}px`);
}

function remove(): void {
  widget?.host.remove();
  widget = null;
}

function receive(made: Widget, message: ToLoader): void {
  if (message.type === 'ready') {
    made.isReady = true;
    initFrame(made);
  } else if (message.type === 'token') keepToken(made.options, message.token);
  else if (message.type === 'close') setOpen(made, false);
  else if (message.type === 'unread') label(made, message.count);
  else if (message.type === 'off') remove();
  else for (const listener of listeners) listener(message.message);
}

addEventListener('message', ({ source, origin: from, data }: MessageEvent<ToLoader>) => {
  const isFrame = widget?.frame && source === widget.frame.contentWindow && from === origin;
  if (widget && isFrame && typeof data?.type === 'string') receive(widget, data);
});
for (const kind of ['resize', 'scroll']) {
  window.visualViewport?.addEventListener(kind, () => widget && fitViewport(widget));
}

// A second copy of this script does not replace the first one.
window.ConnectWidget ??= api;
const { tenantId, siteId, locale } = script?.dataset ?? {};
if (tenantId) window.ConnectWidget.init({ tenantId, ...(siteId && { siteId }), ...(locale && { locale }) });
