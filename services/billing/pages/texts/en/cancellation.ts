import { type Content, html } from '../../../../../web/html.ts';

/** The page that asks whether to cancel. */
export const cancellation = {
  title: (plan: string) => `Cancel ${plan}`,
  atOnce: 'It ends at once: you have Free from now on, and what is owed is not asked for any more.',
  atEnd: (plan: string, end: Content) =>
    html`You have ${plan} until ${end}, and Free from then on. No further period is charged, and you can
take it back until then.`,
  reason: 'Why do you cancel?',
  reasonHint: 'Those who sell the plans read it.',
  keep: (plan: string) => `Keep ${plan}`,
};
