import { joinTeam } from './colleagues.ts';
import { sendEvents, sendInvalidEvents } from './events.ts';
import { uploadFiles } from './files.ts';
import { writeHistory } from './history.ts';
import { sendMails } from './mail.ts';
import type { Organization, Step } from './organization.ts';
import { createApplication, createRoles, inviteTeam } from './team.ts';
import { openWebsite } from './website.ts';

export type Seeded = {
  steps: Step[];
  customerIds: string[];
  /** The token of the API key of the shop; null when an earlier run has created it. */
  token: string | null;
  /** The password of the members who joined in this run; null if none did. */
  password: string | null;
};

/**
 * Fills an organization with the business of a coffee roastery. It looks for each resource before it creates one, and
 * events have the same ids in every run, so a repeated run adds only the resources that are missing.
 *
 * @param mailbox - the address of the mailbox for development, in which the members find their invitations; null leaves
 *   the invitations open.
 */
export async function seedRoastery(organization: Organization, mailbox: string | null): Promise<Seeded> {
  const { tenantId } = organization.connection;
  const team = [await inviteTeam(organization), await createRoles(organization)];
  const { step: members, password, agentId } = await joinTeam(organization, mailbox);
  const { step, application, token } = await createApplication(organization);
  // Ends at an instant that is the same in every run, so that the events are the same.
  const history = writeHistory(tenantId, Date.parse(application.createdAt));
  const { customers } = history;
  const steps = [
    ...team,
    members,
    step,
    await sendEvents(organization, history),
    await sendInvalidEvents(organization),
    ...(await sendMails(organization, customers)),
    ...(await uploadFiles(organization)),
    ...(await openWebsite(organization, customers, agentId)),
  ];
  return { steps, customerIds: customers.map(({ id }) => id), token, password };
}
