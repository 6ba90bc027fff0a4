import type { CallOutput } from '../../../../lib/contract/context.ts';
import type { ErrorDetail } from '../../../../lib/contract/errors.ts';
import type { ProviderName } from '../../../../models/notification/connection.ts';
import { type Refusal, refuse } from '../../../../web/attempt.ts';
import type { Field } from '../../../../web/fields.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderState } from '../../../../web/states.ts';
import { texts } from './texts.ts';

export type Connection = CallOutput<'notification.channels.read'>;
type Values = Readonly<Record<string, string>>;

/** The kind of the tokens of the forms about channels. */
export const channelsForm = 'channels';
export const settingsNames = ['name', 'priority'] as const;

type CredentialName = keyof ReturnType<typeof texts>['credentials'];

/** The credentials of a provider, in the order of its form. */
const credentialNames: Record<ProviderName, readonly CredentialName[]> = {
  telegram: ['botToken'],
  whatsapp: ['phoneNumberId', 'accessToken'],
  sms: ['accountSid', 'authToken', 'apiKeySid', 'from'],
  mail: [],
  web: ['siteId'],
  webhook: ['url', 'secret'],
  mailbox: [],
};
/** Credentials that may be empty. */
const optional: readonly CredentialName[] = ['apiKeySid', 'siteId'];
const secrets: readonly CredentialName[] = ['botToken', 'accessToken', 'authToken', 'secret'];

/** The names of the credentials' fields of a provider. */
export function credentialsOf(provider: ProviderName): readonly CredentialName[] {
  return credentialNames[provider];
}

/** The fields of a provider's credentials. Those that are secret stay empty when a form is shown again. */
export function credentialFields(provider: ProviderName, values: Values): Field[] {
  return credentialsOf(provider).map((name) => ({
    name,
    ...texts().credentials[name],
    type: secrets.includes(name) ? 'password' : 'text',
    autocomplete: 'off',
    isRequired: !optional.includes(name),
    value: values[name] ?? '',
    maxLength: 1000,
  }));
}

/** The credentials as the endpoint accepts them, without empty ones. */
export function credentialsIn(provider: ProviderName, values: Values): Record<string, string> {
  const filled = credentialsOf(provider).map((name) => [name, (values[name] ?? '').trim()] as const);
  return Object.fromEntries(filled.filter(([, value]) => value !== ''));
}

/** Moves a problem of a credential to its field, in the language of the page. */
export function atCredential({ path, message }: ErrorDetail): ErrorDetail {
  return { path: path.replace(/^body\.credentials\./, 'body.'), message: texts().channel.problem(message) };
}

/** The fields of a connection that are not credentials. */
export function settingsFields({ name = '', priority = '' }: Values): Field[] {
  const t = texts().connect;
  const number = { name: 'priority', label: t.priority, hint: t.priorityHint, inputmode: 'numeric' } as const;
  return [
    { name: 'name', label: t.name, hint: t.nameHint, autocomplete: 'off', value: name, maxLength: 100 },
    { ...number, autocomplete: 'off', value: priority, isRequired: true, maxLength: 4 },
  ];
}

/** Rejects a priority with other characters than digits. The endpoint checks its limits. */
export function rejectPriority(priority: string): Refusal | null {
  return /^\d{1,4}$/.test(priority.trim()) ? null : refuse({ priority: texts().connect.priorityWrong });
}

/** The name of a connection: its own, or the name of its provider. */
export function nameOf({ name, provider }: Pick<Connection, 'name' | 'provider'>): string {
  return name || texts().channels.providers[provider].name;
}

const tones = { draft: 'off', connected: 'good', error: 'bad', disabled: 'off' } as const;

export function renderConnectionState(state: Connection['state']): Html {
  return html`${renderState(texts().channels.states[state], tones[state])}`;
}
