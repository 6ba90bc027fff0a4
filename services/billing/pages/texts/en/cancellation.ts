import { type Content, html } from '../../../../../web/html.ts';

/** The page that asks whether to cancel. */
export const cancellation = {
  title: (plan: string) => `Cancel ${plan}`,
  atOnce: 'Your plan ends immediately and you move to Free. You no longer have to pay what you owe.',
  atEnd: (plan: string, end: Content) =>
    html`You keep ${plan} until ${end} and move to Free after that. You will not be charged again. You can resume
${plan} until then.`,
  reason: 'Why are you cancelling?',
  reasonHint: 'We read every answer.',
  keep: (plan: string) => `Keep ${plan}`,
};
