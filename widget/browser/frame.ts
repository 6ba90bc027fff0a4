import { Live } from '../../web/client/live.ts';
import { type Draft, Outbox, type Outcome } from '../../web/client/outbox.ts';
import { Typing } from '../../web/client/typing.ts';
import { Api, type Message, Refused, type Session, turnedOff } from './api.ts';
import { save } from './dom.ts';
import { connectHost } from './host.ts';
import { paint, type Site } from './layout.ts';
import type { Written } from './log.ts';
import type { ToFrame, WidgetOptions } from './protocol.ts';
import { createSound } from './sound.ts';
import { type Texts, textsFor } from './texts.ts';
import { Thread } from './thread.ts';
import { createView, type View } from './view.ts';

type Init = Extract<ToFrame, { type: 'init' }>;

const retryBegin = 3000;
const refreshEvery = 60_000;

const site = JSON.parse(document.body.dataset.site ?? '{}') as Site;
const api = new Api();
const sound = createSound();
const typing = new Typing(() => render());
const host = connectHost(receive);

let init: Init | null = null;
let thread = new Thread(api, { onChange: () => render(), onArrival: arrive });
let texts: Texts = textsFor(navigator.language);
let view: View | null = null;
let session: Session | null = null;
let live: Live | null = null;
let outbox: Outbox<Written> | null = null;
let isOpen = false;
let isLive = false;
let trouble: string | null = null;
let hasGivenContact = false;

paint(site);
addEventListener('keydown', ({ key, isComposing }) => {
  if (key === 'Escape' && !isComposing) host.post({ type: 'close' });
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden) return;
  live?.wake();
  void refresh();
});
setInterval(() => isOpen && !document.hidden && void refresh(), refreshEvery);

function receive(message: ToFrame): void {
  if (message.type === 'init') {
    start(message);
    return;
  }
  isOpen = message.type === 'open';
  if (!isOpen) return;
  view?.takeFocus(() => isOpen);
  void refresh();
}

/** Starts, or restarts for another user or in another language. */
function start({ options, isRightToLeft, ...message }: Init): void {
  init = { options, isRightToLeft, ...message };
  const locale = options.locale || navigator.language;
  texts = textsFor(locale);
  document.documentElement.lang = /^de\b/i.test(locale) ? 'de' : 'en';
  document.documentElement.dir = isRightToLeft ? 'rtl' : 'ltr';
  document.title = texts.chat;
  thread = new Thread(api, { onChange: () => render(), onArrival: arrive });
  view = createView(site, texts, {
    close: () => host.post({ type: 'close' }),
    earlier: () => void thread.loadEarlier().catch(() => undefined),
    retry: (echoId) => outbox?.retry(echoId),
    send,
    type() {
      if (thread.conversation) typing.announce(() => api.typing());
    },
    download: (of, attachmentId) => void download(of, attachmentId),
    sound,
  });
  document.body.replaceChildren(view.root);
  openOutbox(options);
  view.takeFocus(() => isOpen);
  render();
  void begin(init);
}

async function begin(message: Init): Promise<void> {
  const { options, token } = message;
  try {
    const begun = await api.begin(options, session?.visitorToken ?? token);
    if (init !== message) return;
    session = begun;
    host.post({ type: 'token', token: begun.visitorToken });
    Object.assign(site, begun.site);
    trouble = null;
    outbox?.wake();
    listenTo(begun);
    await refresh();
  } catch (error) {
    if (init !== message) return;
    if (!(error instanceof Refused) || error.status >= 500 || error.status === 429) {
      trouble = texts.unreachable;
      setTimeout(() => init === message && void begin(message), retryBegin * (1 + Math.random()));
    } else refuse(error);
  }
  render();
}

/** Handles a permanent error. */
function refuse({ code, message }: Refused): void {
  if (turnedOff.has(code)) {
    live?.close();
    host.post({ type: 'off' });
    return;
  }
  console.error(`ConnectWidget: ${message}`);
  trouble = texts.expired;
  view?.disable();
  render();
}

function openOutbox({ tenantId, siteId = '', user }: WidgetOptions): void {
  const storageKey = `connect-outbox:${tenantId}:${siteId}:${user?.id ?? ''}`;
  outbox?.close();
  outbox = new Outbox<Written>({ storageKey, send: post, onChange: render });
}

async function post({ echoId, content }: Draft<Written>): Promise<Outcome> {
  // Beginning the session wakes the outbox.
  if (!session) return { later: retryBegin };
  try {
    const message = await api.send({ echoId, ...content });
    view?.join(echoId, message.messageId);
    if (content.email) hasGivenContact = true;
    thread.accept(message);
    void refresh();
    return { sent: true };
  } catch (error) {
    if (!(error instanceof Refused) || error.status >= 500) throw error;
    if (error.status === 429) {
      trouble = texts.tooMany;
      return { later: error.retryAfter ?? retryBegin };
    }
    if (error.code !== 'CREDENTIAL_INVALID') {
      if (error.status !== 400) refuse(error);
      return { refused: error.status === 400 ? error.message : '' };
    }
    await renew();
    return { later: 0 };
  }
}

/** Begins the session again after its token expired. */
async function renew(): Promise<void> {
  if (!init) return;
  session = await api.begin(init.options, null);
  host.post({ type: 'token', token: session.visitorToken });
  listenTo(session);
}

function listenTo({ visitorId }: Session): void {
  live?.close();
  live = new Live({
    name: `connect-visitor:${visitorId}`,
    open: (lastId, signal) => api.stream(lastId, signal),
    onEvent: hear,
    onState(state) {
      isLive = state;
      render();
    },
    poll: () => void refresh(),
    onRefused: () => void refresh(),
  });
}

function hear(event: string, data: Record<string, unknown>): void {
  const { by, name, seq, conversationId } = data;
  if (event === 'typing') {
    if (by === 'agent') typing.show(typeof name === 'string' ? name : site.name);
  } else if (event === 'read' && by === 'agent') thread.noteAgentsRead(String(conversationId), Number(seq));
  else if (event === 'site' && data.enabled === false) host.post({ type: 'off' });
  else void refresh();
}

/** Reads the new messages. Reports them as read when the visitor sees them. */
async function refresh(): Promise<void> {
  if (!session) return;
  try {
    await thread.sync();
    if (trouble === texts.unreachable || trouble === texts.tooMany) trouble = null;
    if (isOpen && !document.hidden) await thread.markRead();
    host.post({ type: 'unread', count: isOpen ? 0 : (thread.conversation?.unreadCount ?? 0) });
  } catch (error) {
    if (!(error instanceof Refused) || error.status >= 500 || error.status === 429) return;
    if (error.code === 'CREDENTIAL_INVALID') await renew().catch(() => undefined);
    else refuse(error);
  }
}

function arrive(messages: Message[]): void {
  const others = messages.filter(({ from }) => from === 'team');
  if (others.length === 0) return;
  typing.show(null);
  if (!isOpen || document.hidden) sound.play();
  for (const { messageId, conversationId, text, name, createdAt } of others) {
    host.post({ type: 'message', message: { messageId, conversationId, text, name, createdAt } });
  }
}

function send(written: Written): void {
  outbox?.add(written);
  render();
  view?.scrollToEnd();
}

async function download(message: Message, attachmentId: string): Promise<void> {
  const file = message.attachments.find((one) => one.attachmentId === attachmentId);
  try {
    save(await api.readFile(message, attachmentId), file?.fileName ?? '');
  } catch {
    trouble = texts.downloadFailed;
    render();
  }
}

function render(): void {
  view?.show({
    session,
    thread,
    drafts: outbox?.drafts ?? [],
    status: statusNow(),
    isTyping: typing.name !== null && trouble === null,
    hasGivenContact,
  });
}

function statusNow(): string {
  if (trouble !== null) return trouble;
  if (typing.name !== null) return texts.typing(typing.name);
  const isWaiting = outbox?.drafts.some(({ wasTried, state }) => wasTried && state === 'waiting');
  if (!navigator.onLine || (isWaiting && !isLive)) return texts.lost;
  return session === null ? texts.connecting : '';
}
