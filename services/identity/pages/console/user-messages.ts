import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { renderStatus } from '../../../../messaging/delivery/pages/message.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type OrganizationVisit, organizationPage, pathOf } from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { renderBanner } from '../../../../web/states.ts';
import { renderEmpty, renderName, renderTable } from '../../../../web/table.ts';
import { renderWhen, renderWhenWithin } from '../../../../web/time.ts';
import { texts } from '../texts.ts';
import { ifAllowed } from './if-allowed.ts';
import { readUserInPath, rejectWithout, renderUser } from './users-page.ts';

/**
 * The page of the organization's mail to a user's login address. The other addresses of a user belong to the person, and
 * are shown to no organization.
 */
export const userMessagesPages = {
  'pages.console.users.messages': organizationPage('users', {
    rest: 'GET /:userId/messages',
    summary: 'Show the last mail of the organization to a user',
    handler: renderMessages,
  }),
};

type Mail = CallOutput<'mail.messages.list'>['data'][number];

const maxShown = '20';

async function renderMessages(visit: OrganizationVisit): Promise<PageAnswer> {
  const user = await readUserInPath(visit);
  const refusal = rejectWithout(visit, 'mail.read');
  if (refusal) return renderUser(visit, { tab: 'messages', user, refusal, body: null });
  const query = { to: user.email, limit: maxShown };
  const found = await ifAllowed(call(visit.ctx, 'mail.messages.list', { query }));
  const t = texts().people.user.messages;
  return renderUser(visit, {
    tab: 'messages',
    user,
    body: html`<div class="sec-head"><h2>${t.title}</h2><a class="btn sm" href="${pathOf(visit, 'messages', [], { who: user.email })}">${t.all}</a></div>
${found ? renderMails(visit, found.data) : renderBanner({ tone: 'warn', icon: 'alert', words: html`<p>${t.away}</p>` })}
<p class="hint after">${t.hint}</p>`,
  });
}

function renderMails(visit: OrganizationVisit, mails: Mail[]): Html {
  const { title, none, noSubject, columns } = texts().people.user.messages;
  return renderTable<Mail>({
    label: title,
    rows: mails,
    empty: renderEmpty(none),
    columns: [
      {
        heading: columns.subject,
        cell: ({ messageId, subject, createdAt }) =>
          renderName({
            href: pathOf(visit, 'messages', [messageId]),
            name: subject ?? noSubject,
            summary: renderWhenWithin(createdAt),
          }),
      },
      { heading: columns.state, cell: ({ status }) => renderStatus(status), isState: true },
      { heading: columns.accepted, cell: ({ createdAt }) => renderWhen(createdAt), isNumber: true },
    ],
  });
}
