import { callerIn } from '../../../../lib/authorize.ts';
import { type CallOutput, call } from '../../../../lib/calls.ts';
import { allows } from '../../../../lib/permissions.ts';
import type { UserVisit } from '../../../../web/define-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { showEmpty } from '../../../../web/table.ts';
import { type Navigation, showUserPage } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { billingPath, withOrganization } from './paths.ts';

type Organization = Extract<CallOutput<'identity.me.read'>, { type: 'user' }>['organizations'][number];

/** The organizations whose billing the user may see. */
export async function billedOrganizations({ ctx, user }: UserVisit): Promise<Organization[]> {
  const me = await call(ctx, 'identity.me.read', {});
  const all = me.type === 'user' ? me.organizations : [];
  return all.filter(({ id }) => allows(callerIn(user, id)?.scopes ?? [], 'billing.read'));
}

/** The navigation of the console, with the address of the present page of billing. */
export function navigationAt(current: string): Navigation {
  const { navigation: label, billing, account } = texts().console;
  return {
    label,
    links: [
      [current, billing],
      ['/account', account],
    ],
    current,
  };
}

/** Shows the organizations whose billing the user may see; the only one is shown at once. */
export async function chooseOrganization(visit: UserVisit): Promise<PageAnswer> {
  const { billing, choose, none } = texts().console;
  const seen = await billedOrganizations(visit);
  const [only, another] = seen;
  if (only && !another) return redirectTo(withOrganization(billingPath, only.id));
  return showUserPage({
    title: billing,
    navigation: navigationAt(billingPath),
    body:
      seen.length > 0
        ? html`<p>${choose}</p>
<ul class="items">${seen.map(showOrganization)}</ul>`
        : showEmpty(none),
  });
}

function showOrganization({ id, name, slug, role }: Organization): Html {
  return html`<li><a href="${withOrganization(billingPath, id)}">${name}</a> <span class="tag">${role}</span>
<p class="hint">${slug}</p></li>`;
}
