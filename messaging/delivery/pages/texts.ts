import { catalogue } from '../../../web/catalogue.ts';
import { type Html, html } from '../../../web/html.ts';
import { de } from './texts-de.ts';

/** The English texts of the log of messages, of mail and notifications. */
export const en = {
  title: 'Messages',
  statuses: {
    queued: 'Queued',
    sending: 'Sending',
    sent: 'Sent',
    bounced: 'Bounced',
    failed: 'Failed',
    suppressed: 'Suppressed',
  },
  channels: {
    chatapp: 'Chat app',
    photoapp: 'Photo app',
    socialapp: 'Social app',
    microblog: 'Microblog',
    phone: 'Phone',
    email: 'Email',
    web: 'Website',
  },
  kinds: {
    mail: 'Mail',
    notification: 'Notifications',
    ofChannel: (channel: string): string => `Notification: ${channel}`,
  },
  none: 'None',
  deletedTemplate: (name: string): Html => html`<bdi>${name}</bdi> (deleted)`,
  version: (name: Html, version: number): Html => html`${name}, version ${version}`,
  message: {
    idName: 'message ID',
    facts: {
      title: 'Facts',
      template: 'Template',
      locale: 'Language',
      attempts: 'Attempts',
      nextAttempt: 'Next attempt',
      accepted: 'Accepted',
      sent: 'Sent',
      notSent: 'Not sent',
      resentFrom: 'Repeats',
      resentAs: 'Sent again as',
      showFailed: 'The failed message',
      showNew: 'The new message',
    },
    timeline: {
      title: 'What happened',
      next: 'Next attempt',
      until: 'It is tried for up to 24 hours.',
    },
    resend: {
      act: 'Send again',
      question: 'Send this message again?',
      consequence: 'A new message with the same content is sent to the same recipient. It uses one unit of the plan.',
      lacks: (permission: string): Html => html`To send it again, your role needs <code>${permission}</code>.`,
      done: 'This new message repeats the failed one.',
    },
  },
};

/** The texts of the log of messages. */
export const texts = catalogue({ en, de });
