import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { type ConsoleOutput, defineCommand } from '../../../lib/contract/define-command.ts';
import { emailDomainInput } from '../../../lib/format/email-address.ts';
import { registrationModes } from '../../../models/identity/registration-policy.ts';
import {
  type RegistrationPolicy,
  readRegistrationMode,
  readRegistrationPolicy,
  replaceRegistrationPolicy,
} from '../accounts/registration-policy.ts';

/** Maximum number of domains of the policy. */
const maxDomains = 100;

const mode = z
  .enum(registrationModes)
  .describe(
    '`open`: everyone creates an account. `invitation`: only invited people. `domains`: people with an address of ' +
      'one of `domains`, and invited people.',
  );
const domains =
  'Domains of email addresses, in ASCII. They count with the mode `domains`. Subdomains are listed separately.';

const policyOutput = z
  .strictObject({ mode, domains: z.array(z.string()).describe(domains) })
  .meta({ id: 'RegistrationPolicy' });

const policyInput = z
  .strictObject({
    mode,
    domains: z
      .array(emailDomainInput)
      .max(maxDomains, `Must be at most ${maxDomains} domains.`)
      .default([])
      .describe(`${domains} Letters of other scripts are converted, and duplicates are removed.`),
  })
  .refine((policy) => policy.mode !== 'domains' || policy.domains.length > 0, {
    path: ['domains'],
    error: 'Must have at least one domain.',
  })
  .meta({ id: 'RegistrationPolicyInput' });

const example = { mode: 'domains', domains: ['acme-bikes.example'] } satisfies RegistrationPolicy;

/** GET /operator/registration: who may create an account. */
export const readRegistration = defineAction({
  rest: 'GET /operator/registration',
  summary: 'Read who may create an account',
  description: 'Returns who may create an account on the platform. Invited people always may, by their invitation.',
  permission: 'operator',
  input: {},
  output: policyOutput,
  example: { output: example },
  handler: () => readRegistrationPolicy(),
});

/** PUT /operator/registration: opens or limits registration, on all nodes. */
export const updateRegistration = defineAction({
  rest: 'PUT /operator/registration',
  summary: 'Open or limit registration',
  description:
    'Replaces who may create an account. It takes effect on all nodes with this answer, also for people who have not ' +
    'yet confirmed their address, and is recorded in the audit log of the platform. Accounts that exist stay. With ' +
    '`domains`, at least one domain is needed.',
  permission: 'operator',
  input: { body: policyInput },
  output: policyOutput,
  example: { body: { mode: 'domains', domains: ['Acme-Bikes.example'] }, output: example },
  handler: ({ body, ctx }) => changePolicy(ctx, body),
});

async function changePolicy(ctx: Ctx, { mode, domains }: RegistrationPolicy): Promise<RegistrationPolicy> {
  const policy = { mode, domains: [...new Set(domains)] };
  const before = await replaceRegistrationPolicy(policy);
  const target = { type: 'platform', id: 'registration' };
  await recordAuditEvent(ctx, { action: 'registration.updated', target, before, after: policy });
  return policy;
}

/** `identity.console.registration`, for the console: shows who may create an account, or changes it. */
export const registrationCommand = defineCommand({
  commands: [
    {
      usage: 'identity:registration [mode] [domains]',
      description: 'Show or set the registration policy: open, invitation, or domains acme.example,other.example',
      changes: 'withArguments',
    },
  ],
  body: z.strictObject({ mode: z.string().max(20).optional(), domains: z.string().default('') }),
  async handler({ body, ctx }): Promise<ConsoleOutput> {
    if (body.mode === undefined) return describe(await readRegistrationPolicy());
    const typed = { mode: body.mode, domains: body.domains.split(',').filter((domain) => domain.trim() !== '') };
    const { data: policy, error } = policyInput.safeParse(typed);
    if (error) return { lines: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
    return describe(await changePolicy(ctx, policy));
  },
});

function describe({ mode, domains: listed }: RegistrationPolicy): ConsoleOutput {
  const words = {
    open: 'Everyone may create an account.',
    invitation: 'Only invited people may create an account.',
    domains: 'Invited people, and people with an address of these domains, may create an account:',
  };
  return { lines: [words[mode], ...(mode === 'domains' ? listed : [])] };
}

export const registrationActions = {
  'accounts.registration-mode': readRegistrationMode,
  'operator.registration.read': readRegistration,
  'operator.registration.update': updateRegistration,
  'console.registration': registrationCommand,
};
