import { call } from '../../../../lib/contract/context.ts';
import { texts as messageTexts } from '../../../../messaging/delivery/pages/texts.ts';
import {
  type Channel,
  channels,
  type ProviderName,
  providerNames,
} from '../../../../models/notification/connection.ts';
import { type Refusal, refuse, submitForm, withRenamedProblems } from '../../../../web/attempt.ts';
import { renderChoice, renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import { singleValues } from '../../../../web/list-query.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  rejectChange,
  renderAreaTabs,
  renderOrganizationPage,
  renderReadOnly,
} from '../../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { renderEmpty, renderName, renderTable } from '../../../../web/table.ts';
import { renderWhen } from '../../../../web/time.ts';
import { callOnce, flashMessage, openUserFlow } from '../../../../web/user-page.ts';
import { defaultPriority } from '../../channels/connections.ts';
import { providerOf } from '../../providers/providers.ts';
import { channelPages } from './channel.ts';
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

type Values = Readonly<Record<string, string>>;

/** The connections of an organization to the providers of its channels. */
export const channelsPages = {
  'pages.console.channels.list': organizationPage('channels', {
    rest: 'GET',
    summary: 'Show the channel connections of an organization',
    handler: renderChannels,
  }),
  'pages.console.channels.new': organizationPage('channels', {
    rest: 'GET /new',
    summary: 'Show the providers of channels, or the form that connects one',
    handler: async (visit) => renderNew(visit),
  }),
  'pages.console.channels.connect': organizationPage('channels', {
    rest: 'POST /new',
    summary: 'Connect a channel on its page',
    handler: connect,
  }),
  ...channelPages,
};

async function renderChannels(visit: OrganizationVisit): Promise<PageAnswer> {
  const { cursor } = singleValues(visit.query, ['cursor']);
  const query = { limit: '50', ...(cursor && { cursor }) };
  const { data, nextCursor } = await call(visit.ctx, 'notification.channels.list', { query });
  const { channels: t } = texts();
  const { columns } = t;
  const add =
    visit.mayChange &&
    html`<a class="btn primary" href="${pathOf(visit, 'channels', ['new'])}">${renderIcon('plus')}${t.connect}</a>`;
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.lead,
    acts: data.length > 0 && add,
    notice: flashMessage(visit, t.notices),
    body: html`${renderAreaTabs(visit)}
<div class="many-columns">${renderTable<Connection>({
      label: t.caption,
      rows: data,
      empty: renderEmpty({ icon: 'channel', ...t.empty, acts: add }),
      pager: {
        next: nextCursor && pathOf(visit, 'channels', [], { cursor: nextCursor }),
        first: cursor === undefined ? null : pathOf(visit, 'channels'),
      },
      columns: [
        {
          heading: columns.name,
          cell: (row) =>
            renderName({
              href: pathOf(visit, 'channels', [row.id]),
              name: nameOf(row),
              summary: messageTexts().channels[row.channel],
            }),
        },
        { heading: columns.channel, cell: ({ channel }) => messageTexts().channels[channel] },
        { heading: columns.provider, cell: ({ provider }) => t.providers[provider].name, isMinor: true },
        { heading: columns.state, cell: ({ state }) => renderConnectionState(state), isState: true },
        { heading: columns.priority, cell: ({ priority }) => priority, isNumber: true },
        { heading: columns.changed, cell: ({ updatedAt }) => renderWhen(updatedAt), isNumber: true, isMinor: true },
      ],
    })}</div>`,
  });
}

function renderNew(visit: OrganizationVisit): PageAnswer {
  const provider = providerNames.find((one) => one === visit.query.provider);
  return provider ? renderConnect(visit, provider, { priority: String(defaultPriority) }) : renderProviders(visit);
}

function renderProviders(visit: OrganizationVisit, refusal?: Refusal): PageAnswer {
  const { channels: t, connect } = texts();
  return renderOrganizationPage(visit, {
    title: connect.title,
    lead: connect.lead,
    parents: [[pathOf(visit, 'channels'), t.title]],
    refusal,
    body:
      renderReadOnly(visit) ??
      html`<ul class="choices">${Object.entries(t.providers).map(
        ([provider, { name, words }]) =>
          html`<li><a href="${pathOf(visit, 'channels', ['new'], { provider })}"><span><b>${name}</b><span class="sub-line quiet">${words}</span></span>${renderIcon('right', 'sm')}</a></li>
`,
      )}</ul>`,
  });
}

async function connect(visit: OrganizationVisit): Promise<PageAnswer> {
  const provider = providerNames.find((one) => one === visit.form.provider);
  if (!provider) return renderProviders(visit, refuse({}, texts().connect.providerWrong));
  const names = ['provider', 'channel', ...settingsNames, ...credentialsOf(provider)] as const;
  const typed = pickFields(visit.form, ...names);
  const refusal = rejectChange(visit, channelsForm, texts().channels.lacks) ?? rejectPriority(typed.priority);
  const attempt = refusal ? { refusal } : await submitForm(names, () => store(visit, provider, typed));
  if (attempt.refusal) return renderConnect(visit, provider, typed, attempt.refusal);
  return redirectTo(pathOf(visit, 'channels', [attempt.answer.id], { done: 'connected' }));
}

function store(visit: OrganizationVisit, provider: ProviderName, typed: Values): Promise<Connection> {
  const { name = '', priority = '' } = typed;
  // The endpoint says what is wrong with a channel that no option of the form has.
  const channel = typed.channel as Channel;
  const settings = { name, priority: Number(priority), credentials: credentialsIn(provider, typed) };
  return withRenamedProblems(atCredential, () =>
    callOnce(visit, 'notification.channels.create', { body: { channel, provider, ...settings } }),
  );
}

function renderConnect(
  visit: OrganizationVisit,
  provider: ProviderName,
  values: Values,
  refusal?: Refusal,
): PageAnswer {
  const { channels: t, connect: words } = texts();
  const errors = refusal?.errors ?? {};
  const back = pathOf(visit, 'channels', ['new']);
  return renderOrganizationPage(visit, {
    title: words.with(t.providers[provider].name),
    lead: t.providers[provider].words,
    parents: [
      [pathOf(visit, 'channels'), t.title],
      [back, words.title],
    ],
    refusal,
    body:
      renderReadOnly(visit) ??
      renderForm({
        action: back,
        flow: openUserFlow(visit, channelsForm),
        fields: html`<input type="hidden" name="provider" value="${provider}">
${renderChannel(provider, values.channel, errors.channel)}
${renderFields([...credentialFields(provider, values), ...settingsFields(values)], errors)}
${credentialsOf(provider).length === 0 && html`<p class="hint">${words.noCredentials}</p>`}`,
        submit: words.submit,
      }),
  });
}

/** A choice where the provider serves several channels. */
function renderChannel(provider: ProviderName, chosen: string | undefined, error: string | undefined): Html {
  const { connect } = texts();
  const possible = channels.filter((one) => providerOf(provider).channels.includes(one));
  if (possible.length === 1 && !error) return html`<input type="hidden" name="channel" value="${possible[0]}">`;
  const options = possible.map((one) => [one, messageTexts().channels[one]] as const);
  return renderChoice({ name: 'channel', label: connect.channel, options }, chosen, error);
}
