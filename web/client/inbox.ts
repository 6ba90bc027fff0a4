/** Keeps the agents' inbox up to date. Without this script everything works with forms and links. */
import { focusList } from './inbox-keys.ts';
import { InboxThread, type Written } from './inbox-thread.ts';
import { Live } from './live.ts';
import { Looking } from './looking.ts';
import { type Draft, Outbox, type Outcome } from './outbox.ts';
import { morphParts, readPage } from './page-parts.ts';
import { ReplyFiles } from './reply-files.ts';
import { localizeTimes } from './times.ts';
import { Typing } from './typing.ts';

const requestTimeout = 20_000;
const retryLimited = 3000;
const refreshEvery = 60_000;
/** Greater than the sequence number of any message. */
const afterAll = 999_999_999_999;

const root = document.getElementById('inbox');
const { org = '', user = '', conversation = '' } = root?.dataset ?? {};
const path = `/v1/conversations/${encodeURIComponent(conversation)}`;
/** A page of earlier messages is not updated. */
const isLatest = !new URLSearchParams(location.search).has('before');

const threadRoot = document.getElementById('thread');
const template = document.getElementById('draft') as HTMLTemplateElement | null;
const composer = document.getElementById('composer') as HTMLFormElement | null;
const field = document.getElementById('text') as HTMLTextAreaElement | null;
const status = document.getElementById('status');
const fileInput = document.getElementById('files') as HTMLInputElement | null;
const fileList = document.getElementById('chosen');
const fileTemplate = document.getElementById('chosen-file') as HTMLTemplateElement | null;
const sign = (about: object): Promise<Response> => request('POST', `${path}/attachments`, about);
const draftKey = `inbox:${org}:${conversation}`;
const files =
  fileList && fileTemplate
    ? new ReplyFiles({ storageKey: `${draftKey}:files`, list: fileList, template: fileTemplate, sign })
    : null;

const thread =
  threadRoot && template && isLatest ? new InboxThread(threadRoot, template, (echoId) => outbox.retry(echoId)) : null;
const outbox = new Outbox<Written>({ storageKey: draftKey, send, onChange: renderState });
const typing = new Typing(renderState);
const looking = conversation === '' ? null : new Looking(user, announceLooking, renderLooking);
let isLive = true;
let isWanted = false;
let isReading = false;
let readSeq = Number(threadRoot?.dataset.agentSeq ?? 0);

const live = new Live({
  name: `inbox:${org}:${user}`,
  open: (lastId, signal) =>
    fetch('/v1/connect/stream', {
      headers: { 'x-tenant-id': org, ...(lastId !== null && { 'last-event-id': lastId }) },
      cache: 'no-store',
      signal,
    }),
  onEvent: hear,
  onState(state) {
    isLive = state;
    if (state) outbox.wake();
    renderState();
  },
  poll: () => void refresh(),
  onRefused: () => location.reload(),
});

function request(method: string, at: string, body: object, keepalive = false): Promise<Response> {
  return fetch(at, {
    method,
    headers: { 'content-type': 'application/json', 'x-tenant-id': org },
    body: JSON.stringify(body),
    keepalive,
    signal: AbortSignal.timeout(requestTimeout),
  });
}

async function send({ echoId, content }: Draft<Written>): Promise<Outcome> {
  const { kind, text, files: sent } = content;
  const body = { echoId, text, ...(sent.length > 0 && { attachments: sent.map(({ attachmentId }) => attachmentId) }) };
  const response = await request('POST', `${path}/${kind === 'note' ? 'notes' : 'messages'}`, body);
  if (response.status === 429) return { later: Number(response.headers.get('retry-after')) * 1000 || retryLimited };
  if (response.status >= 500) throw new Error(`Answered ${response.status}.`);
  const answer = (await response.json()) as { messageId?: string; message?: string };
  if (!response.ok || !answer.messageId) return { refused: answer.message ?? '' };
  thread?.acknowledge(echoId, answer.messageId);
  void refresh();
  return { sent: true };
}

/** The request survives the end of the page. */
function announceLooking(isLooking: boolean): Promise<Response> {
  return request('POST', `${path}/looking`, { looking: isLooking }, true);
}

function hear(event: string, data: Record<string, unknown>): void {
  if (event === 'looking') {
    if (data.conversationId === conversation) looking?.hear(String(data.userId), data.looking === true);
  } else if (event !== 'typing') void refresh();
  else if (data.conversationId === conversation && data.userId !== user) typing.show(String(data.name ?? ''));
  if (event === 'message' && data.author === 'visitor' && data.conversationId === conversation) typing.show(null);
}

/** Fetches the current page from the last message on; concurrent calls share the request. */
async function refresh(): Promise<void> {
  isWanted = true;
  if (isReading) return;
  isReading = true;
  try {
    while (isWanted) {
      isWanted = false;
      await readOn();
    }
    await markRead();
  } catch {
    // The next notification or poll fetches again.
  } finally {
    isReading = false;
  }
}

async function readOn(): Promise<void> {
  const address = new URL(location.href);
  for (const name of ['done', 'reply']) address.searchParams.delete(name);
  if (conversation) address.searchParams.set('after', String(thread?.lastSeq ?? afterAll));
  const response = await fetch(address, { signal: AbortSignal.timeout(requestTimeout) });
  const newer = await readPage(response);
  if (!newer) {
    if (response.redirected) location.reload();
    return;
  }
  morphParts(newer);
  document.title = newer.title;
  if (thread?.append(newer, outbox.drafts)) isWanted = true;
  localizeTimes(document);
  renderState();
}

/** Reports how far the agents have read; the visitor sees it. */
async function markRead(): Promise<void> {
  if (!thread || document.hidden || thread.lastSeq <= readSeq) return;
  const seq = thread.lastSeq;
  const { ok } = await request('POST', `${path}/read`, { seq });
  if (ok) readSeq = seq;
}

function renderState(): void {
  thread?.showDrafts(outbox.drafts);
  const { lost = '', typing: words = '' } = root?.dataset ?? {};
  const isWaiting = outbox.drafts.some(({ wasTried, state }) => wasTried && state === 'waiting');
  const isLost = !navigator.onLine || (isWaiting && !isLive);
  const said = isLost ? lost : typing.name === null ? '' : words.replace('{name}', typing.name);
  if (status && status.textContent !== said) status.textContent = said;
}

/** Shows the agents who have the conversation open, by their names in the list of assignees. */
function renderLooking(): void {
  const place = document.getElementById('looking');
  if (!place) return;
  const options = [...document.querySelectorAll<HTMLOptionElement>('#assigneeId option')];
  const names = (looking?.users ?? []).flatMap((id) => options.find(({ value }) => value === id)?.text ?? []);
  const list = new Intl.ListFormat(document.documentElement.lang).format(names);
  const { one = '', many = '' } = place.dataset;
  place.textContent = (names.length === 1 ? one : many).replace('{names}', list);
  place.hidden = names.length === 0;
}

function write(): void {
  const text = field?.value.trim() ?? '';
  if (!composer || !field) return;
  const kind = new FormData(composer).get('kind') === 'note' ? 'note' : 'reply';
  const sentFiles = kind === 'note' ? [] : (files?.take() ?? null);
  if (sentFiles === null || (text === '' && sentFiles.length === 0)) return;
  field.value = '';
  outbox.add({ kind, text, files: sentFiles });
  renderState();
  thread?.scrollToEnd();
  field.focus();
}

if (thread && composer && field) {
  for (const part of composer.querySelectorAll('.keys, .attach')) part.removeAttribute('hidden');
  composer.addEventListener('submit', (event) => {
    event.preventDefault();
    write();
  });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') focusList();
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    write();
  });
  field.addEventListener('input', () => {
    const isReply = new FormData(composer).get('kind') !== 'note';
    if (isReply && field.value.trim() !== '') typing.announce(() => request('POST', `${path}/typing`, {}));
  });
  fileInput?.addEventListener('change', () => {
    files?.add(fileInput.files ?? []);
    fileInput.value = '';
    field.focus();
  });
  field.addEventListener('paste', (event) => addFiles(event, event.clipboardData));
  composer.addEventListener('dragover', (event) => event.preventDefault());
  composer.addEventListener('drop', (event) => addFiles(event, event.dataTransfer));
  thread.scrollToEnd();
}

/** Inserts a saved reply at the cursor, in place of the selected text. */
document.getElementById('saved')?.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-text]') : null;
  if (!link || !field || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  (event.currentTarget as HTMLElement).hidePopover();
  field.setRangeText(link.dataset.text ?? '', field.selectionStart, field.selectionEnd, 'end');
  field.focus();
  field.dispatchEvent(new Event('input'));
});

/** Adds pasted or dropped files; the browser handles pasted text. */
function addFiles(event: Event, transfer: DataTransfer | null): void {
  if (!transfer || transfer.files.length === 0) return;
  event.preventDefault();
  files?.add(transfer.files);
}

/** The forms of status and assignee change the conversation without leaving the page. */
document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  if (!('live' in form.dataset)) return;
  event.preventDefault();
  const fields = new FormData(form, event.submitter);
  const [chosenStatus, assignee] = [fields.get('status'), fields.get('assigneeId')];
  const changes = {
    ...(chosenStatus !== null && { status: chosenStatus }),
    ...(assignee !== null && { assigneeId: assignee === 'none' ? null : assignee }),
  };
  request('PATCH', path, changes).then(
    ({ ok }) => (ok ? void refresh() : location.reload()),
    () => form.submit(),
  );
});
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLSelectElement) || target.id !== 'assigneeId') return;
  target.form?.requestSubmit();
  target.blur();
});
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('#thread .earlier a') : null;
  if (!link || !thread || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  fetch(link.href)
    .then(readPage)
    .then(
      (page) => {
        if (page) thread.prepend(page);
        localizeTimes(document);
      },
      () => location.assign(link.href),
    );
});

/** The arrow keys move the focus between the conversations of the list. */
document.getElementById('list')?.addEventListener('keydown', (event) => {
  const links = [...document.querySelectorAll<HTMLElement>('#list li a')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const places: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 };
  const place = places[event.key];
  if (place === undefined || at < 0) return;
  event.preventDefault();
  links[place]?.focus();
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden) return;
  live.wake();
  void refresh();
});
setInterval(() => void refresh(), refreshEvery);
localizeTimes(document);
renderState();
// The next refresh retries.
markRead().catch(() => undefined);
