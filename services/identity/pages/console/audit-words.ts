import type { CallOutput } from '../../../../lib/contract/context.ts';
import { ApplicationModel } from '../../../../models/identity/application.ts';
import { UserModel } from '../../../../models/identity/user.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import { nameOfUser } from '../../../../web/shell.ts';
import { renderAvatar } from '../../../../web/states.ts';
import { texts } from '../texts.ts';

export type AuditRecord = CallOutput<'identity.audit.read'>;

/** The names of users and applications, by id. */
export type Names = ReadonlyMap<string, string>;

type Named = { type: string; id: string | null };

/**
 * The names of the users and applications that acted, or that were acted on. A record outlives them, so a name may be
 * missing.
 */
export async function readNames(orgId: string, named: readonly Named[]): Promise<Names> {
  const idsOf = (type: string): string[] => named.filter((one) => one.type === type).map(({ id }) => id ?? '');
  const [users, applications] = await Promise.all([
    UserModel.find({ _id: { $in: idsOf('user') } }, { displayName: 1, firstName: 1, lastName: 1, email: 1 }).lean(),
    ApplicationModel.find({ orgId, _id: { $in: idsOf('application') } }, { name: 1 }).lean(),
  ]);
  return new Map([
    ...users.map((one) => [one._id, nameOfUser(one)] as const),
    ...applications.map((one) => [one._id, one.name] as const),
  ]);
}

/** The name of the actor, for the user who reads it. */
export function nameOfActor({ actor }: Pick<AuditRecord, 'actor'>, names: Names, reader: string): string {
  const t = texts().overview.activity;
  return actor.id === reader ? t.you : (names.get(actor.id ?? '') ?? t.actors[actor.type]);
}

/** The icons of those who act. */
export const actorIcons = {
  user: 'user',
  application: 'app',
  operator: 'shield',
  system: 'gear',
  anonymous: 'alert',
} as const;

/** Renders the initials of a user who acted, or an icon for others. */
export function renderActor({ actor }: Pick<AuditRecord, 'actor'>, names: Names): Html {
  const name = names.get(actor.id ?? '');
  if (actor.type === 'user' && name !== undefined) return renderAvatar({ name, id: actor.id ?? '' });
  return html`<span class="avatar plain" aria-hidden="true">${renderIcon(actorIcons[actor.type], 'xs')}</span>`;
}

/** The words for an action, after the name of its actor: "created an API key". */
export function actionInWords(action: string): string {
  const t = texts().overview.activity;
  const known: Record<string, string | undefined> = t.actions;
  return known[action] ?? t.other(action);
}

/** The name of the resource that it was done to; undefined where neither the record nor the organization has one. */
export function nameOfTarget({ target, before, after }: AuditRecord, names: Names): string | undefined {
  return names.get(target.id) ?? nameIn(after) ?? nameIn(before);
}

function nameIn(state: AuditRecord['after']): string | undefined {
  const found = [state?.name, state?.email, state?.title].find((value) => typeof value === 'string');
  return found as string | undefined;
}

/** The role before and after, where that is what changed. */
export function roleChangeOf({ before, after }: AuditRecord): string | null {
  const { roles, user } = texts().people;
  const known: Record<string, string | undefined> = roles;
  const [old, present] = [known[String(before?.role)], known[String(after?.role)]];
  return old && present ? user.audit.change(old, present) : null;
}
