import type { MailContent } from './mail-content.ts';

type Invitation = { link: string; organizationName: string; inviterName: string; role: string };

/** An invitation into an organization. */
export function invitation({ link, organizationName, inviterName, role }: Invitation): MailContent {
  return {
    subject: `Invitation to ${organizationName}`,
    heading: `You are invited to ${organizationName}`,
    paragraphs: [`${inviterName} invites you to join ${organizationName} with the role “${role}”.`],
    button: { label: 'See the invitation', link },
    unasked: 'If you do not know them or do not want to join, ignore this mail: you only join by accepting.',
  };
}
