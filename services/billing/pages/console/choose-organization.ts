import { callerIn } from '../../../../lib/authorize.ts';
import { type CallOutput, call } from '../../../../lib/calls.ts';
import { allows } from '../../../../lib/permissions.ts';
import type { UserVisit } from '../../../../web/define-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { showUserPage } from '../../../../web/user-page.ts';
import { billingPath, withOrganization } from './paths.ts';

type Organization = Extract<CallOutput<'identity.me.read'>, { type: 'user' }>['organizations'][number];

/** Shows the organizations whose billing the user may see; the only one is shown at once. */
export async function chooseOrganization({ ctx, user }: UserVisit): Promise<PageAnswer> {
  const me = await call(ctx, 'identity.me.read', {});
  const all = me.type === 'user' ? me.organizations : [];
  const seen = all.filter(({ id }) => allows(callerIn(user, id)?.scopes ?? [], 'billing.read'));
  const [only, another] = seen;
  if (only && !another) return redirectTo(withOrganization(billingPath, only.id));
  return showUserPage({
    title: 'Billing',
    navigation: {
      label: 'Console',
      links: [
        [billingPath, 'Billing'],
        ['/account', 'Your account'],
      ],
      current: billingPath,
    },
    body:
      seen.length > 0
        ? html`<p>Choose the organization.</p>
<ul class="items">${seen.map(showOrganization)}</ul>`
        : html`<p class="hint">You are not a member of an organization whose billing you may see.</p>`,
  });
}

function showOrganization({ id, name, slug, role }: Organization): Html {
  return html`<li><a href="${withOrganization(billingPath, id)}">${name}</a> <span class="tag">${role}</span>
<p class="hint">${slug}</p></li>`;
}
