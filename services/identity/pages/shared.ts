import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { idPattern } from '../../../lib/data/ids.ts';
import { settings } from '../../../lib/settings/settings.ts';
import type { RegistrationMode } from '../../../models/identity/registration-policy.ts';
import type { BrandedOrganization } from '../../../web/brand.ts';
import { publicPage, type Query, type Visit } from '../../../web/define-page.ts';
import { renderGallery } from '../../../web/gallery.ts';
import { type Content, html } from '../../../web/html.ts';
import { type PageAnswer, renderPage } from '../../../web/page.ts';
import { texts } from './texts.ts';

/** Shows the page of an expired mailed link (410), with the way to get a new one, and for whom it is not needed. */
export function renderLinkExpired(again: string, href: string, unneeded: Content | null = null): PageAnswer {
  const t = texts().linkExpired;
  return renderPage({
    title: t.title,
    status: 410,
    body: html`<h1>${t.title}</h1>
<p>${t.lead}</p>
<p><a href="${href}">${again}</a></p>${
      unneeded &&
      html`
<p>${unneeded}</p>`
    }`,
  });
}

/** Only a single process knows that its own settings are used for mail: in a pool the mailing node may have others. */
const isMailKept = settings.SMTP_URL === undefined && settings.NATS_URL === undefined;

/** Shows the page that a mail is on its way, with the link to retry (`again`) when it does not arrive. */
export function renderMailedPage({ browser }: Visit, words: Content, again: string): PageAnswer {
  const t = texts().mailed;
  return renderPage({
    title: t.title,
    body: html`<h1>${t.title}</h1>
<p>${words}</p>
${isMailKept && browser.isThisMachine && html`<p>${t.mailbox('/dev/mailbox')}</p>`}
<p class="hint">${t.again(again)}</p>`,
  });
}

const clientIdPattern = idPattern('cli');

type Client = NonNullable<CallOutput<'identity.oauth.clients.find'>['client']>;

/** The id of the client in the query of a page; null for none. */
export function clientIdOf({ client_id: clientId }: Query): string | null {
  return typeof clientId === 'string' && clientIdPattern.test(clientId) ? clientId : null;
}

/** The client that a user comes from, with its organization; null for an unknown one. */
export async function findClient({ ctx }: Visit, clientId: string | null): Promise<Client | null> {
  return clientId === null ? null : (await call(ctx, 'identity.oauth.clients.find', { body: { clientId } })).client;
}

/** The organization of a client, as pages show it. */
export function organizationOf(client: Client | null): BrandedOrganization | null {
  return client && { name: client.organizationName, brand: client.organizationBrand };
}

/** Reads the mode of the registration policy. */
export async function registrationMode({ ctx }: Visit): Promise<RegistrationMode> {
  const { mode } = await call(ctx, 'identity.accounts.registration-mode', { body: {} });
  return mode;
}

const maxTokenLength = 200;

/** The token of a mailed link; null when it is missing or malformed. */
export function tokenOf({ token }: Query): string | null {
  if (typeof token !== 'string' || token.length > maxTokenLength) return null;
  return /^[A-Za-z0-9_-]+$/.test(token) ? token : null;
}

/** The gallery of the components that pages are made of, for development, for requests from this machine alone. */
export const galleryPages = {
  'pages.gallery.show': publicPage({
    rest: 'GET /dev/gallery',
    summary: 'Show the components that pages are made of',
    thisMachineOnly: true,
    handler() {
      const { title } = texts().gallery;
      return renderPage({ title, layout: 'wide', body: html`<h1>${title}</h1>${renderGallery()}` });
    },
  }),
};
