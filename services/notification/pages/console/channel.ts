import { call } from '../../../../lib/contract/context.ts';
import { texts as messageTexts } from '../../../../messaging/delivery/pages/texts.ts';
import {
  type Refusal,
  refusalOf,
  refuse,
  rejectMissing,
  submitForm,
  withRenamedProblems,
} from '../../../../web/attempt.ts';
import { renderCopyable } from '../../../../web/copy.ts';
import { type Fact, renderFacts } from '../../../../web/facts.ts';
import { renderCheck, renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  rejectChange,
  renderOrganizationPage,
  renderReadOnly,
} from '../../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { renderBanner } from '../../../../web/states.ts';
import { renderDay, renderTime } from '../../../../web/time.ts';
import { callOnce, flashMessage, openUserFlow } from '../../../../web/user-page.ts';
import { renderZoneSection } from '../../../../web/zone.ts';
import {
  atCredential,
  type Connection,
  channelsForm,
  credentialFields,
  credentialsIn,
  credentialsOf,
  nameOf,
  rejectPriority,
  renderConnectionState,
  settingsFields,
  settingsNames,
} from './channel-fields.ts';
import { texts } from './texts.ts';

/** The pages of one connection. */
export const channelPages = {
  'pages.console.channels.show': organizationPage('channels', {
    rest: 'GET /:channelId',
    summary: 'Show a channel connection',
    handler: async (visit) => renderChannel(visit, await readChannel(visit)),
  }),
  'pages.console.channels.save': organizationPage('channels', {
    rest: 'POST /:channelId',
    summary: 'Change the settings of a channel connection on its page',
    handler: save,
  }),
  'pages.console.channels.replace-credentials': organizationPage('channels', {
    rest: 'POST /:channelId/credentials',
    summary: 'Replace the credentials of a channel connection on its page',
    handler: replaceCredentials,
  }),
  'pages.console.channels.test': organizationPage('channels', {
    rest: 'POST /:channelId/test',
    summary: 'Send a test message by a channel connection on its page',
    handler: sendTest,
  }),
  'pages.console.channels.disconnect': organizationPage('channels', {
    rest: 'POST /:channelId/disconnect',
    summary: 'Disconnect a channel on its page',
    handler: disconnect,
  }),
};

type Values = Readonly<Record<string, string>>;
type Refused = { of?: 'settings' | 'credentials' | 'test'; typed?: Values; refusal?: Refusal };

/** The connection in the path; throws NOT_FOUND when the organization has none of this id. */
async function readChannel({ ctx, path }: OrganizationVisit): Promise<Connection> {
  return await call(ctx, 'notification.channels.read', { path: { channelId: path.channelId ?? '' } });
}

const channelPath = (visit: OrganizationVisit, { id }: Connection, rest: string[] = [], done?: string): string =>
  pathOf(visit, 'channels', [id, ...rest], done ? { done } : {});

async function save(visit: OrganizationVisit): Promise<PageAnswer> {
  const typed = pickFields(visit.form, ...settingsNames, 'enabled');
  const channel = await readChannel(visit);
  const path = { channelId: channel.id };
  const body = { name: typed.name, priority: Number(typed.priority), enabled: typed.enabled === 'on' };
  const refusal =
    rejectChange(visit, channelsForm, texts().channels.lacks) ??
    rejectPriority(typed.priority) ??
    (await refusalOf(settingsNames, () => call(visit.ctx, 'notification.channels.update', { path, body })));
  if (refusal) return renderChannel(visit, channel, { of: 'settings', typed, refusal });
  return redirectTo(channelPath(visit, channel, [], 'saved'));
}

async function replaceCredentials(visit: OrganizationVisit): Promise<PageAnswer> {
  const channel = await readChannel(visit);
  const { id: channelId, provider } = channel;
  const names = credentialsOf(provider);
  const typed = pickFields(visit.form, ...names);
  const input = { path: { channelId }, body: { credentials: credentialsIn(provider, typed) } };
  const refusal =
    rejectChange(visit, channelsForm, texts().channels.lacks) ??
    (await refusalOf(names, () =>
      withRenamedProblems(atCredential, () => call(visit.ctx, 'notification.channels.update', input)),
    ));
  if (refusal) return renderChannel(visit, channel, { of: 'credentials', typed, refusal });
  return redirectTo(channelPath(visit, channel, [], 'credentials'));
}

async function sendTest(visit: OrganizationVisit): Promise<PageAnswer> {
  const typed = pickFields(visit.form, 'recipientId');
  const channel = await readChannel(visit);
  const { test: t } = texts().channel;
  const input = { path: { channelId: channel.id }, body: typed };
  const rejection =
    rejectChange(visit, channelsForm, texts().channels.lacks) ?? rejectMissing(typed, { recipientId: t.missing });
  const attempt = rejection
    ? { refusal: rejection }
    : await submitForm(['recipientId'], () =>
        withRenamedProblems(atCredential, () => callOnce(visit, 'notification.channels.test', input)),
      );
  const refusal = attempt.refusal ?? refusalAfter(attempt.answer);
  if (refusal) return renderChannel(visit, await readChannel(visit), { of: 'test', typed, refusal });
  return redirectTo(channelPath(visit, channel, [], 'tested'));
}

/** The refusal of a test that the provider has not taken. */
function refusalAfter({ status, error }: { status: string; error: string | null }): Refusal | null {
  const { test: t } = texts().channel;
  if (status === 'sent') return null;
  return refuse({}, error === null && status !== 'failed' ? t.pending : t.failed(error ?? t.unknown), 409);
}

async function disconnect(visit: OrganizationVisit): Promise<PageAnswer> {
  pickFields(visit.form);
  const channel = await readChannel(visit);
  const input = { path: { channelId: channel.id } };
  const refusal =
    rejectChange(visit, channelsForm, texts().channels.lacks) ??
    (await refusalOf([], () => call(visit.ctx, 'notification.channels.delete', input)));
  if (refusal) return renderChannel(visit, channel, { refusal });
  return redirectTo(pathOf(visit, 'channels', [], { done: 'disconnected' }));
}

function renderChannel(visit: OrganizationVisit, channel: Connection, refused: Refused = {}): PageAnswer {
  const { channels: words, channel: t } = texts();
  const name = nameOf(channel);
  return renderOrganizationPage(visit, {
    title: name,
    parents: [[pathOf(visit, 'channels'), words.title]],
    head: html`<header class="detail">
<span class="avatar lg plain" aria-hidden="true">${renderIcon('channel')}</span>
<div class="grow"><h1><bdi>${name}</bdi> ${renderConnectionState(channel.state)}</h1>
<p class="quiet">${renderCopyable('channel-id', channel.id, t.idName)}</p></div></header>`,
    notice: flashMessage(visit, words.notices),
    refusal: refused.refusal,
    body: html`${renderReadOnly(visit)}${renderProblem(channel)}
<div class="split"><div>${visit.mayChange && renderForms(visit, channel, refused)}</div>
<aside><section aria-labelledby="h-facts"><h2 id="h-facts" class="vh">${t.facts.title}</h2>${renderChannelFacts(channel)}</section></aside></div>
${visit.mayChange && renderRemoving(visit, channel, name)}`,
  });
}

function renderProblem({ state, lastError }: Connection): Html | null {
  const t = texts().channel;
  const sentences = [...(lastError === null ? [] : [t.lastError(lastError)]), ...(state === 'draft' ? [t.draft] : [])];
  if (sentences.length === 0) return null;
  const tone = state === 'error' ? 'bad' : 'warn';
  return renderBanner({ tone, icon: 'alert', words: sentences.map((one) => html`<p>${one}</p>`) });
}

function renderChannelFacts({ channel, provider, priority, verifiedAt, createdAt }: Connection): Html {
  const { channels: words, channel: t } = texts();
  const facts: Fact[] = [
    [t.facts.channel, messageTexts().channels[channel]],
    [t.facts.provider, words.providers[provider].name],
    [t.facts.priority, String(priority)],
    [t.facts.verified, verifiedAt === null ? t.facts.never : renderTime(verifiedAt)],
    [t.facts.created, renderDay(createdAt)],
  ];
  return renderFacts(facts, true);
}

function renderForms(visit: OrganizationVisit, channel: Connection, { of, typed = {}, refusal }: Refused): Html {
  const { settings, credentials, test } = texts().channel;
  const { provider, name, priority, state } = channel;
  const flow = openUserFlow(visit, channelsForm);
  const errorsOf = (form: Refused['of']) => (of === form ? refusal?.errors : {});
  const stored = { name, priority: String(priority), ...(state !== 'disabled' && { enabled: 'on' }) };
  const values: Values = of === 'settings' ? typed : stored;
  const recipient = { name: 'recipientId', label: test.recipient, hint: test.hints[provider], isRequired: true };
  const tested = { ...recipient, autocomplete: 'off', value: typed.recipientId ?? '', maxLength: 512 };
  const isChecked = values.enabled === 'on';
  return html`${renderRow('h-test', test.title, test.words, {
    action: channelPath(visit, channel, ['test']),
    flow,
    fields: renderFields([tested], errorsOf('test')),
    submit: test.submit,
    isSecond: true,
  })}
${renderRow('h-settings', settings.title, null, {
  action: channelPath(visit, channel),
  flow,
  fields: html`${renderFields(settingsFields(values), errorsOf('settings'))}${renderCheck({ name: 'enabled', label: settings.enabled, isChecked })}`,
  submit: settings.submit,
})}
${
  credentialsOf(provider).length > 0 &&
  renderRow('h-credentials', credentials.title, credentials.words, {
    action: channelPath(visit, channel, ['credentials']),
    flow,
    fields: renderFields(credentialFields(provider, of === 'credentials' ? typed : {}), errorsOf('credentials')),
    submit: credentials.submit,
    isSecond: true,
  })
}`;
}

function renderRow(id: string, title: string, words: string | null, form: Parameters<typeof renderForm>[0]): Html {
  return html`<section class="form-row stacked" aria-labelledby="${id}"><div><h2 id="${id}">${title}</h2>${words && html`<p>${words}</p>`}</div>${renderForm(form)}</section>`;
}

function renderRemoving(visit: OrganizationVisit, channel: Connection, name: string): Html {
  const { remove: t } = texts().channel;
  const confirmed = {
    id: 'disconnect',
    action: channelPath(visit, channel, ['disconnect']),
    flow: openUserFlow(visit, channelsForm),
    submit: t.submit,
    question: t.question(name),
    consequence: t.words,
    confirm: t.confirm,
  };
  return renderZoneSection({ id: 'h-danger', title: t.zone }, [{ title: t.title, words: t.words, confirmed }]);
}
